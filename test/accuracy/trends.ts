/** How often a trend has a change that does not exist, and how soon it has one that does. Prints Markdown tables. */

import { falselyChanged, foundWith, type HistoryShape } from "./looked-at-histories.ts";
import { expectWithin, printTable } from "./print-table.ts";

const HISTORIES = 300;
const STEPPED = 100;
const STEP_AT = 20;

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
  const steps: (string | number)[][] = [];
  for (const [spread, factor] of [
    [0.02, 1.1],
    [0.05, 1.1],
    [0.05, 1.2],
    [0.05, 1.5],
  ] as const) {
    const shape = { loadTests: 2 * STEP_AT, spread, isShared: true };
    const runs = await foundWith({ ...shape, step: { at: STEP_AT, factor } }, STEPPED);
    const at = (share: number) => runs[Math.ceil(share * STEPPED) - 1] ?? Infinity;
    const change = `${Math.round(100 * (factor - 1))} %`;
    steps.push([`${100 * spread} %`, change, ...[0.5, 0.9].map((share) => shown(at(share)))]);
  }
  printTable(["spread", "step", "found with run, half", "nine of ten"], steps);
}

function shown(run: number): string {
  return run === Infinity ? "later" : `${run}`;
}
