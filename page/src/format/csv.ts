/**
 * A cell of a table as RFC 4180 has it. Programs that show tables take a cell that begins like a
 * formula for one, and labels are what strangers wrote: an apostrophe makes it text.
 */
export function quoted(text: string): string {
  const cell = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const FORMULA = /^[=+\-@\t\r]/;
