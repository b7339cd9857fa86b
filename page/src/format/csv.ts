/**
 * A table cell by RFC 4180. Spreadsheets run cells that begin like formulas, and labels are untrusted, so an
 * apostrophe makes them text.
 */
export function quoted(text: string): string {
  const cell = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const FORMULA = /^[=+\-@\t\r]/;
