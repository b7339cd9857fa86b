type Cells = readonly (string | number)[];

/** Prints a Markdown table, each row as soon as it is known. */
export async function printRows(
  head: readonly string[],
  rows: AsyncIterable<Cells> | Iterable<Cells>,
): Promise<void> {
  printCells(head);
  printCells(head.map(() => "---"));
  for await (const cells of rows) printCells(cells);
  console.log("");
}

/** Prints a Markdown table. */
export function printTable(head: readonly string[], rows: readonly Cells[]): void {
  for (const cells of [head, head.map(() => "---"), ...rows]) printCells(cells);
  console.log("");
}

function printCells(cells: Cells): void {
  console.log(`| ${cells.join(" | ")} |`);
}

/** Makes the program exit with 1 if a rate is not within its limits. */
export function expectWithin(
  name: string,
  rate: number,
  { least = 0, most = Infinity }: { readonly least?: number; readonly most?: number },
): void {
  if (rate >= least && rate <= most) return;
  console.error(`${name}: ${rate}, want ${least} to ${most}`);
  process.exitCode = 1;
}
