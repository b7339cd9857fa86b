/** SQL that makes what `format=csv` answers, in the dialect of each peer: one line for each endpoint. */

import { type FoundCells, cellsOfItems } from "./same-numbers.ts";

const HEADER =
  '["Timestamp","avgLoadTime","count","downloadSize","errAvgLoadTime","errCount","errDownloadSize"]';

/** The cells of a row, as numbers; some divide integers to integers. */
export const CELLS = [
  "second",
  "round(elapsed / (requests * 1000000.0), 6)",
  "requests",
  "round(bytes / (requests * 1.0), 6)",
  "CASE WHEN failed = 0 THEN 0.0 ELSE round(failed_elapsed / (failed * 1000000.0), 6) END",
  "failed",
  "CASE WHEN failed = 0 THEN 0.0 ELSE round(failed_bytes / (failed * 1.0), 6) END",
];

/** The text of an endpoint, around the text of its rows between commas. */
export function itemOf(label: string, rows: string): string {
  return `concat('{"label":"', ${label}, '","data":[${HEADER},', ${rows}, ']}')`;
}

/** The text of a row; `text` turns a number into one. */
export function rowOf(text: (cell: string) => string): string {
  return `concat('["', ${CELLS.map(text).join(`, '","', `)}, '"]')`;
}

/** The cells of an answer of such lines. */
export function cellsOfLines(body: Buffer): FoundCells {
  const lines = body.toString().trim().split("\n");
  return cellsOfItems(lines.map((line) => JSON.parse(line) as { label: string; data: string[][] }));
}
