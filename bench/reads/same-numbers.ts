/** Whether a peer answered what was asked: a benchmark of different results says nothing. */

import { DENSE, labelsOf } from "./dense.ts";
import { denseRows } from "./rows-file.ts";
import { cellsOf } from "./plain-answers.ts";

/** Cells by label: second, average, count, size, and the three of failed requests. */
export type FoundCells = ReadonlyMap<string, readonly (readonly number[])[]>;

/** Peers round the seventh digit as they like. */
const TOLERANCE = 1.001e-6;

/** Throws unless `found` is the dense load test, whole. */
export function requireDense(found: FoundCells, peer: string): void {
  const labels = labelsOf(DENSE);
  let compared = 0;
  for (const row of denseRows()) {
    const label = labels[row[0] as number] ?? "";
    const cells = found.get(label)?.[(row[1] as number) - DENSE.firstSecond];
    for (const [index, wanted] of cellsOf(row).entries()) {
      const got = cells?.[index];
      if (got !== undefined && Math.abs(got - wanted) <= TOLERANCE) continue;
      throw new Error(
        `${peer}: cell ${index} of ${label}, second ${row[1]}: ${got}, not ${wanted}`,
      );
    }
    compared += 1;
  }
  const rows = [...found.values()].reduce((sum, each) => sum + each.length, 0);
  if (rows !== compared) throw new Error(`${peer}: ${rows} data points, not ${compared}`);
}

/** The cells of an answer in the shape of `format=csv`. */
export function cellsOfItems(items: readonly { label: string; data: string[][] }[]): FoundCells {
  return new Map(
    items.map(({ label, data }) => [label, data.slice(1).map((row) => row.map(Number))]),
  );
}
