/**
 * A table cell by RFC 4180. Spreadsheets run cells that begin like formulas, and labels are untrusted, so an
 * apostrophe makes them text.
 */
export function quoted(text: string): string {
  const cell = FORMULA.test(text) ? `'${text}` : text;
  return SEPARATORS.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Excel's full-width forms run as formulas, too. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** The separator of spreadsheets is a semicolon where the decimal sign is a comma, and a tab for pasted text. */
const SEPARATORS = /[",;\t\r\n]/;
