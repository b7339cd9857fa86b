import { FORMATS } from "../../src/decode/formats.ts";
import type { FormatAbout, ToolAbout } from "../../src/decode/format-about.ts";
import { FORMATS_ABOUT } from "../../src/decode/formats-about.ts";
import { OTHER_TOOLS } from "../../src/decode/other-tools.ts";
import type { Unrecorded } from "../../src/model/source-quality.ts";

type Cells = readonly string[];

const OWN = FORMATS_ABOUT.filter(({ tool }) => tool === "Tachograph");
const TOOLS: readonly (ToolAbout & Partial<FormatAbout>)[] = [
  ...FORMATS_ABOUT.filter((about) => !OWN.includes(about)),
  ...OTHER_TOOLS,
  ...OWN,
];

/** The tables of docs/tools/README.md by their heads, in Markdown without padding. */
export function toolsTables(): readonly string[] {
  return [
    tableOf(
      ["tool", "record", "per request", "sizes", "failures, and why", "users", "live"],
      TOOLS.flatMap((about) => (about.row === undefined ? [] : [rowOf(about)])),
    ),
    tableOf(
      ["tool", "measures"],
      TOOLS.flatMap(({ tool, measures }) => (measures === undefined ? [] : [[tool, measures]])),
    ),
    tableOf(["format", "fields of `--label`"], labelRows()),
  ];
}

/** Of docs/samples.md. */
export function detailsTable(): string {
  const chosen = FORMATS_ABOUT.flatMap(({ name, details = "" }) =>
    details === "" ? [] : [{ name, details }],
  );
  const byText = Object.groupBy(chosen, ({ details }) => details);
  const rows = Object.entries(byText).map(([text, formats = []]) => [named(formats), text]);
  return tableOf(["source", "beside time, code and message"], rows);
}

function named(formats: readonly { readonly name: string }[]): string {
  return formats.map(({ name }) => `\`${name}\``).join(", ");
}

function rowOf(about: ToolAbout & Partial<FormatAbout>): Cells {
  const { tool, page, name, needsStart, unrecorded = [] } = about;
  const recorded = (what: Unrecorded): string =>
    name === undefined || unrecorded.includes(what) ? "" : "yes";
  const whole = name === undefined ? "" : "yes";
  const cells = {
    tool: page === undefined ? tool : `[${tool}](${page})`,
    record: "",
    requests: needsStart === true ? "yes, needs `--started-at`" : whole,
    sizes: recorded("sizes"),
    failures: "",
    users: recorded("users"),
    live: "",
    ...about.row,
  };
  const { record, requests, sizes, failures, users, live } = cells;
  return [cells.tool, record, requests, sizes, failures, users, live];
}

/** Formats with the same fields share a row. */
function labelRows(): readonly Cells[] {
  const chosen = FORMATS_ABOUT.filter(({ name }) => FORMATS.some((each) => each.name === name));
  const byText = Object.groupBy(chosen, ({ labelFields, labelText }) => {
    if (labelText !== undefined) return labelText;
    if (labelFields === "columns") return "every column";
    return labelFields?.map((field) => `\`${field}\``).join(", ") ?? "none";
  });
  return Object.entries(byText).map(([text, formats = []]) => [named(formats), text]);
}

function tableOf(head: Cells, rows: readonly Cells[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** A page with these tables in place of those with the same first lines. */
export function withTables(page: string, tables: readonly string[]): string {
  return tables.reduce((text, table) => {
    const [head = ""] = table.split("\n", 1);
    const cells = head.slice(2, -2).split(" | ");
    const beginning = cells.join(" +\\| +");
    const old = new RegExp(`^\\| ${beginning} +\\|\\n(?:\\|.*\\n)+`, "m");
    if (!old.test(text)) throw new Error(`the page has no table ${head}`);
    return text.replace(old, () => table);
  }, page);
}

/** A table as its formatter and its writer agree on it. */
export function withoutPadding(page: string): string {
  return page.replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---");
}
