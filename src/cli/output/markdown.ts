import { printable } from "./printable.ts";

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
