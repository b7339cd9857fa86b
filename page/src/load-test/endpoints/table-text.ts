import type { EndpointFigures } from "../../api/figures.ts";
import { csvCell } from "../../../../src/render/table-cell.ts";
import type { NumberColumn } from "./endpoint-columns.ts";
import { type BaselineTimes, numberOf } from "./sort-endpoints.ts";

/** Rows and columns as CSV: times in seconds, shares and changes of 0 to 1, labels as stored. */
export function tableText(
  rows: readonly EndpointFigures[],
  columns: readonly (readonly [column: NumberColumn, text: string])[],
  baseline: BaselineTimes,
): string {
  const lines = rows.map((row) => [
    csvCell(row.label),
    ...columns.map(([column]) => numberOf(row, column, baseline)),
  ]);
  const heads = ["endpoint", ...columns.map(([, text]) => text)];
  return [heads, ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}
