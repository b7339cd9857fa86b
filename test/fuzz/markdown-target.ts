import { printable } from "../../src/model/printable.ts";
import { markdownCode } from "../../src/render/table-cell.ts";
import type { FuzzTarget } from "./target.ts";

/** Texts as cells of a table of Markdown, read back by the rules of CommonMark and of GitHub's tables. */
export const markdownTarget: FuzzTarget = {
  name: "markdown",
  run(input) {
    const text = new TextDecoder().decode(input);
    const [cell, ...others] = cellsOf(`| ${markdownCode(text)} |`);
    const shown = others.length === 0 ? codeIn(cell?.trim() ?? "") : undefined;
    const wanted = printable(text);
    if (shown?.trim() === wanted.trim()) return;
    throw new Error(`it is shown as ${JSON.stringify(shown)} instead of ${JSON.stringify(wanted)}`);
  },
};

/** Bars divide, also in code, unless a backslash is before them; that one is taken away. */
function cellsOf(row: string): readonly string[] {
  const cells = row.split(/(?<!\\)\|/);
  return cells.slice(1, -1).map((cell) => cell.replaceAll("\\|", "|"));
}

/** The text of a cell that is one span of code; `undefined` if something else is in it. */
function codeIn(cell: string): string | undefined {
  const fence = /^`+/.exec(cell)?.[0] ?? "";
  const inside = cell.slice(fence.length, -fence.length);
  const isOneSpan =
    fence !== "" &&
    cell.endsWith(fence) &&
    (inside.match(/`+/g) ?? []).every((run) => run.length !== fence.length);
  return isOneSpan ? inside : undefined;
}
