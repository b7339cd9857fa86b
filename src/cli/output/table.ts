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
