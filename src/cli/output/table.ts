import { printable } from "../../model/printable.ts";
import { writeFile } from "node:fs/promises";
import { eastAsianWidth } from "get-east-asian-width";
import { badParameter, errorMessage } from "../../model/errors.ts";
import { markdownCode } from "../../render/table-cell.ts";
import { formatCount } from "./format-quantity.ts";

type Rows = readonly (readonly string[])[];

/** Rows of cells as columns of even width, left-aligned, two blanks apart. */
export function formatTable(rows: Rows): string {
  const widths = widthsOf(rows);
  const padded = (cell: string, column: number): string =>
    cell + " ".repeat((widths[column] ?? 0) - displayWidth(cell));
  return rows.map((row) => `${row.map(padded).join("  ").trimEnd()}\n`).join("");
}

/** What a table does without before a line gets longer than the terminal is wide. */
export interface TableFit {
  /** Most columns of a line; a terminal shows a Chinese character in two. */
  readonly terminalColumns: number;
  /** Heads of columns that are left out, in this order, so that the last column has room. */
  readonly optional: readonly string[];
}

/** The last column is cut in the middle rather than be narrower. */
const LAST_COLUMN_MIN = 30;

/** As `formatTable`, within a width. A line below it names the columns that are left out. */
export function formatFittedTable(rows: Rows, { terminalColumns, optional }: TableFit): string {
  let shown = rows;
  const leftOut: string[] = [];
  for (const name of optional) {
    if (roomForLast(shown, terminalColumns) >= 0) break;
    const at = shown[0]?.indexOf(name) ?? -1;
    if (at === -1) continue;
    shown = shown.map((row) => row.toSpliced(at, 1));
    leftOut.push(name);
  }
  const most = roomForLast(shown, terminalColumns) + LAST_COLUMN_MIN;
  const cut = shown.map((row) => [...row.slice(0, -1), cutInMiddle(row.at(-1) ?? "", most)]);
  const note = `hidden at a width of ${terminalColumns} characters: ${leftOut.join(", ")}\n`;
  return `${formatTable(cut)}${leftOut.length === 0 ? "" : note}`;
}

/** Columns beyond those that the last one needs; negative where there are too few. */
function roomForLast(rows: Rows, terminalColumns: number): number {
  const widths = widthsOf(rows);
  const last = Math.min(widths.at(-1) ?? 0, LAST_COLUMN_MIN);
  const others = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  return terminalColumns - others - last;
}

function cutInMiddle(text: string, most: number): string {
  if (displayWidth(text) <= most) return text;
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  let [head, tail] = [Math.ceil(characters.length / 2), Math.floor(characters.length / 2)];
  const cut = (): string =>
    `${characters.slice(0, head).join("")}…${characters.slice(characters.length - tail).join("")}`;
  while (head + tail > 1 && displayWidth(cut()) > most) {
    if (head > tail) head -= 1;
    else tail -= 1;
  }
  return cut();
}

function widthsOf(rows: Rows): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    }
  }
  return widths;
}

const COMBINING = /\p{M}/u;

/** Columns of a terminal that a text takes. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (COMBINING.test(character)) continue;
    width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}

/** Writes a report beside standard output, in the place of what is there. Throws `bad-parameter`. */
export async function writeReportFile(
  flag: string,
  file: string,
  content: string | Uint8Array,
): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    const cause = errorMessage(error);
    throw badParameter(`${flag}: cannot write "${file}": ${cause}`);
  }
}

function markdownLine(row: readonly string[]): string {
  return `| ${row.join(" | ")} |\n`;
}

/** GitHub refuses comments of over 65,536; a pipeline adds its own words. */
export const COMMENT_MAX = 60_000;

/** Room for the line that counts the rows left out. */
const COUNT_ROOM = 40;

export interface CommentFit {
  /** Characters of the comment without the table. */
  readonly otherLength: number;
  /** Rows of lower importance are left out first, and of these the last. @default equally important */
  readonly importanceOf?: ((row: readonly string[], index: number) => number) | undefined;
}

/**
 * A table of Markdown; cells must be escaped already. The first row is the head. Where a comment has no room for all of
 * them, rows are left out, and counted below the table.
 */
export function formatMarkdownTable(
  [head = [], ...rows]: Rows,
  { otherLength, importanceOf = () => 0 }: CommentFit,
): string {
  const top = `${markdownLine(head)}|${" --- |".repeat(head.length)}\n`;
  const lines = rows.map((row, index) => ({
    index,
    line: markdownLine(row),
    importance: importanceOf(row, index),
  }));
  let room = COMMENT_MAX - COUNT_ROOM - otherLength - top.length;
  const isShown = new Set<number>();
  for (const { index, line } of lines.toSorted((one, other) => other.importance - one.importance)) {
    room -= line.length;
    if (room < 0) break;
    isShown.add(index);
  }
  const shown = lines.flatMap(({ index, line }) => (isShown.has(index) ? [line] : []));
  const hidden = rows.length - shown.length;
  const count = hidden === 0 ? "" : `\n${formatCount(hidden, "row")} not shown\n`;
  return `${top}${shown.join("")}${count}`;
}

/** What a report is about, for those who read it among others. */
export function markdownSubject(id: string, base: string | undefined): string {
  return base === undefined
    ? markdownCode(id)
    : `${markdownCode(id)} against ${markdownCode(base)}`;
}

export { markdownCode, printable };

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** A time of a key or a link, to the minute; `-` if there is none. */
export function keyTime(time: string | null): string {
  return time?.slice(0, 16).replace("T", " ") ?? "-";
}
