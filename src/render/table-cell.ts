import { printable } from "../model/printable.ts";

/**
 * A cell of CSV (RFC 4180). Spreadsheets run cells that begin like formulas, and labels are untrusted, so an apostrophe
 * makes them text.
 */
export function csvCell(text: string): string {
  const cell = text.replaceAll(FORMULAS, "'");
  return SEPARATORS.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Starts of a cell, also of one that a spreadsheet with another separator sees within this one, where quotes count only at its
 * start. Excel's full-width forms run as formulas, too.
 */
const FORMULAS =
  /^(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])|(?=[=+\-@\uff1d\uff0b\uff0d\uff20])(?<=[;\t\r\n]"*)/g;

/** The separator of spreadsheets is a semicolon where the decimal sign is a comma, and a tab for pasted text. */
const SEPARATORS = /[",;\t\r\n]/;

/** Text of strangers as code within a table: no markup, links or mentions of people come out of it. */
export function markdownCode(text: string): string {
  const shown = printable(text).replaceAll("|", String.raw`\|`);
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  // Blanks keep the backticks of the text from those of the fence, and an empty text from vanishing.
  const isPlain = longest === 0 && shown.trim() === shown && shown !== "";
  return isPlain ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}
