import { isSecretName, MAY_BE_NAME, REDACTED } from "./secret-names.ts";

/** Between lines, and between those within a string of JSON. */
const BREAKS = [/(\r?\n)/, /((?:\\{1,15}r)?\\{1,15}n)/] as const;

/** Names of columns have few words, and at a comma without a space before more of them, as sentences have. */
const COLUMN_NAME = /^\s*\\{0,15}"?[\w.\-[\]]{1,60}(?: [\w.-]{1,60}){0,2}\\{0,15}"?\s*$/;
const SENTENCE = /^ .*\S \S/;

/** What is before a heading within a string. */
const OPENING = /^[^]*[:=([,]\s{0,9}(\\{0,15}["'`])/;

/** Lines between a heading and its rows. */
const RULER = /^[\s|+:=-]*[|+-][\s|+:=-]*$/;

type Separator = "\t" | "|" | ";" | ",";

/** Up to the next separator, which quoted cells may have; `end` is empty where such a cell does not end. */
const CELLS: Readonly<Record<Separator, RegExp>> = {
  "\t": cellUpTo("\\t"),
  "|": cellUpTo("|"),
  ";": cellUpTo(";"),
  ",": cellUpTo(","),
};

function cellUpTo(separator: string): RegExp {
  const quoted = String.raw`[ \t]*(?<quote>\\{0,15}")(?:\k<quote>\k<quote>|(?!\k<quote>)[\s\S])*(?<end>\k<quote>|)`;
  return new RegExp(`(?:${quoted})?[^${separator}]*`, "y");
}

interface Table {
  readonly separator: Separator;
  readonly columns: number;
  readonly secret: ReadonlySet<number>;
  /** Quote of the string of JSON in which it is. @default none */
  readonly within: string | undefined;
}

/** Takes out the columns of tables whose heading names a secret, up to an empty line. */
export function redactTables(text: string): string {
  return BREAKS.reduce((clean, lineBreak) => {
    const lines = clean.split(lineBreak);
    return lines.length < 3 ? clean : redactLines(lines, lineBreak === BREAKS[1]);
  }, text);
}

/** `lines`: each followed by its break. */
function redactLines(lines: string[], isWithin: boolean): string {
  let table: Table | undefined;
  let isOpen = false;
  for (let at = 0; at < lines.length; at += 2) {
    const line = lines[at] as string;
    if (table === undefined) table = tableOf(line, isWithin, at === 0);
    else if (isOpen || !RULER.test(line)) {
      const until = endOfRow(line, table.within);
      const row = line.slice(0, until);
      const part: RedactedRow = isOpen ? restOfCell(row) : redactRow(row, table);
      lines[at] = part.text + line.slice(until);
      isOpen = part.isOpen;
      if (part.isOver || until < line.length) table = undefined;
    }
  }
  return lines.join("");
}

interface RedactedRow {
  readonly text: string;
  /** Whether its last cell goes on in the next line. */
  readonly isOpen: boolean;
  /** Whether the table ends with it. */
  readonly isOver: boolean;
}

/** Before the first quote of the string in which the row is. */
function endOfRow(line: string, within: string | undefined): number {
  if (within === undefined) return line.length;
  const end = new RegExp(String.raw`(?<!\\)${within.replaceAll("\\", String.raw`\\`)}`).exec(line);
  return end?.index ?? line.length;
}

/** `isFirst`: only the first line of a text may be the heading of a single column. */
function tableOf(line: string, isWithin: boolean, isFirst: boolean): Table | undefined {
  const [opening, within] = isWithin ? (OPENING.exec(line) ?? []) : [""];
  if (opening === undefined || !MAY_BE_NAME.test(line)) return undefined;
  const heading = line.slice(opening.length);
  const found = (Object.keys(CELLS) as Separator[]).find((each) => heading.includes(each));
  if (found === undefined && (!isFirst || /\S\s+\S/.test(heading))) return undefined;
  const separator = found ?? ",";
  const { cells } = cellsOf(heading, separator);
  const areNames = cells.every((cell) => isColumnName(cell, separator));
  const secret = cells.flatMap((cell, column) => (isSecretName(cell.trim()) ? column : []));
  const isTable = areNames && secret.length > 0;
  return isTable
    ? { separator, columns: cells.length, secret: new Set(secret), within }
    : undefined;
}

/** Tables of shells have bars at their ends, too. */
function isColumnName(cell: string, separator: Separator): boolean {
  if (cell.trim() === "") return separator === "|";
  return COLUMN_NAME.test(cell) && !SENTENCE.test(cell);
}

function cellsOf(
  row: string,
  separator: Separator,
): { readonly cells: readonly string[]; readonly isOpen: boolean } {
  const cells: string[] = [];
  const cell = CELLS[separator];
  for (let at = 0; ; at = cell.lastIndex + 1) {
    cell.lastIndex = at;
    const { 0: all = "", groups } = cell.exec(row) ?? {};
    cells.push(all);
    if (cell.lastIndex >= row.length) return { cells, isOpen: groups?.["end"] === "" };
  }
}

/** Of a row with other cells than the heading, it takes all. */
function redactRow(row: string, { columns, secret, separator }: Table): RedactedRow {
  const { cells, isOpen } = cellsOf(row, separator);
  const isUneven = cells.length !== columns && cells.length > 1;
  const clean = cells.map((cell, column) =>
    isOpen || isUneven || secret.has(column) ? redactCell(cell) : cell,
  );
  const isOver = row.trim() === "" || (cells.length === 1 && columns > 1);
  return { text: clean.join(separator), isOpen, isOver: isOver && !isOpen };
}

function redactCell(cell: string): string {
  return cell.replace(/[^\s"\\](?:.*[^\s"\\])?/s, REDACTED);
}

/** Keeps quotes: its end is found by them. */
function restOfCell(row: string): RedactedRow {
  const text = row.replaceAll(/[^\s"][^"]*/g, REDACTED);
  return { text, isOpen: row.split('"').length % 2 === 1, isOver: false };
}
