/** What tools are called, by what the name of a format begins with. */
const TOOLS: Readonly<Record<string, string>> = {
  ab: "ab",
  artillery: "Artillery",
  gatling: "Gatling",
  ghz: "ghz",
  goose: "Goose",
  har: "HAR",
  hey: "hey",
  jmeter: "JMeter",
  k6: "k6",
  line: "line protocol",
  locust: "Locust",
  oha: "oha",
  phout: "phout",
  siege: "Siege",
  tachograph: "Tachograph",
  taurus: "Taurus",
  tsung: "Tsung",
  vegeta: "Vegeta",
};

/** The tool that writes a format; of a format that is not known its own name. */
export function toolName(format: string): string {
  const [first = ""] = format.split("-");
  return Object.hasOwn(TOOLS, first) ? (TOOLS[first] ?? format) : format;
}

/** The tools of some formats, each once. */
export function toolNames(formats: readonly string[]): string {
  return [...new Set(formats.map(toolName))].join(", ");
}

const CAPITALS = new Set(["csv", "json", "ndjson", "tsv", "xml"]);

/** A format as people call it: `JMeter CSV`, `Gatling binary`. */
export function formatText(format: string): string {
  const [, ...rest] = format.split("-");
  const name = toolName(format);
  if (name === format || rest.length === 0 || name.includes(" ")) return name;
  return [name, ...rest.map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word))].join(" ");
}
