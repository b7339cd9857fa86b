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
