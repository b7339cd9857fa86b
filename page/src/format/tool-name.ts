/** Names of load tools, by the prefix of a format's name. */
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

/** The tool that writes a format; an unknown format's own name. */
export function toolName(format: string): string {
  const [first = ""] = format.split("-");
  return Object.hasOwn(TOOLS, first) ? (TOOLS[first] ?? format) : format;
}

/** The tools of some formats, without duplicates. */
export function toolNames(formats: readonly string[]): string {
  return [...new Set(formats.map(toolName))].join(", ");
}

const CAPITALS = new Set(["csv", "json", "ndjson", "tsv", "xml"]);

/** Display name of a format: `JMeter CSV`, `Gatling binary`. */
export function formatText(format: string): string {
  const [, ...rest] = format.split("-");
  const name = toolName(format);
  if (name === format || rest.length === 0 || name.includes(" ")) return name;
  return [name, ...rest.map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word))].join(" ");
}
