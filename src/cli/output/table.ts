import { writeFile } from "node:fs/promises";
import { UserError } from "../../model/errors.ts";

/** Rows of cells as columns of even width, left-aligned, two blanks apart. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/**
 * A cell of CSV (RFC 4180). An apostrophe keeps spreadsheets from taking a label that begins like
 * a formula for one.
 */
export function csvCell(text: string): string {
  const cell = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Writes a report beside standard output, in the place of what is there. Throws `bad-parameter`. */
export async function writeReportFile(flag: string, file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new UserError("bad-parameter", `${flag}: cannot write "${file}": ${cause}`);
  }
}

/** A table of Markdown; cells must be escaped already. The first row is the head. */
export function formatMarkdownTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.join(" | ")} |\n`);
  const rule = `|${" --- |".repeat(rows[0]?.length ?? 0)}\n`;
  return [lines[0] ?? "", rule, ...lines.slice(1)].join("");
}

/** What a report is about, for those who read it among others. */
export function markdownSubject(id: string, base: string | undefined): string {
  return base === undefined
    ? markdownCode(id)
    : `${markdownCode(id)} against ${markdownCode(base)}`;
}

/**
 * Text of strangers as code within a table: neither markup, nor links, nor the names of people to
 * be notified come out of it.
 */
export function markdownCode(text: string): string {
  const shown = printable(text).replaceAll("|", String.raw`\|`);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  // Blanks keep the backticks of the text from those of the fence, and an empty text from vanishing.
  const isPlain = longest === 0 && shown.trim() === shown && shown !== "";
  return isPlain ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}

/**
 * Text of strangers (labels, names of files) as a terminal may show it: control characters and
 * those that reverse the direction of text are written as escapes, so that a label can neither move
 * the cursor nor pretend to be another line.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

// C0 and C1 controls, and the bidirectional controls of Unicode.
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
