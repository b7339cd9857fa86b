/** Prints a Markdown table. */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  for (const cells of [head, head.map(() => "---"), ...rows]) {
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log("");
}
