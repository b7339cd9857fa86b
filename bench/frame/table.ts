export type Table = readonly (readonly string[])[];

/** A Markdown table, its columns aligned; the first row is its head. */
export function renderTable(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(3, ...table.map((row) => row[column]?.length ?? 0)),
  );
  const lines = table.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return `| ${cells.join(" | ")} |`;
  });
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/** The cells of the first table in a document that begins with this head; none without such a table. */
export function readTable(document: string, head: readonly string[]): Table {
  const lines = document.split("\n");
  const begin = lines.findIndex((line) => cellsOf(line).join("|") === head.join("|"));
  if (begin < 0) return [];
  const after = lines.slice(begin + 2);
  const end = after.findIndex((line) => !line.startsWith("|"));
  return after.slice(0, end < 0 ? undefined : end).map((line) => cellsOf(line));
}

function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
