/** How often a trend has a change that does not exist. Prints a Markdown table. */

import { falselyChanged, type HistoryShape } from "./looked-at-histories.ts";
import { expectWithin, printTable } from "./print-table.ts";

const HISTORIES = 300;

export async function printTrends(): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const isShared of [false, true]) {
    const shape: HistoryShape = { loadTests: 30, spread: 0.05, isShared };
    const found = await falselyChanged(shape, HISTORIES);
    const name = isShared ? "all response times of a run" : "each figure by itself";
    expectWithin(`${name}: false histories`, found.histories, { most: 0.03 * HISTORIES });
    rows.push([name, found.histories, found.looks]);
  }
  printTable(["noise of", `false, of ${HISTORIES}`, `looks, of ${25 * HISTORIES}`], rows);
}
