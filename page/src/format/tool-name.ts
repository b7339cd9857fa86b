import { FORMATS_ABOUT } from "../../../src/decode/formats-about.ts";

/** The tool that writes a format, or one of the same kind; an unknown format's own name. */
export function toolName(format: string): string {
  const [kind = ""] = format.split("-");
  const about =
    FORMATS_ABOUT.find(({ name }) => name === format) ??
    FORMATS_ABOUT.find(({ name }) => name.split("-", 1)[0] === kind);
  return about?.tool ?? format;
}

/** The tools of some formats, without duplicates. With another tool, line protocol has only brought what servers measured. */
export function toolNames(formats: readonly string[]): string {
  const tools = [...new Set(formats.map(toolName))];
  return tools.filter((tool) => tools.length === 1 || tool !== LINE_PROTOCOL).join(", ");
}

const LINE_PROTOCOL = toolName("line-protocol");

const CAPITALS = new Set(["csv", "json", "ndjson", "tsv", "xml"]);

/** Display name of a format: `JMeter CSV`, `Gatling binary`. */
export function formatText(format: string): string {
  const [, ...rest] = format.split("-");
  const name = toolName(format);
  if (name === format || rest.length === 0 || name.includes(" ")) return name;
  return [name, ...rest.map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word))].join(" ");
}
