import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { mergeSeries } from "../model/merge-points.ts";

/**
 * The begin of the window of so many seconds that a second lies in. The window that begins at 0
 * stands at 1, as 0 means that no instant is known.
 */
export function windowOf(second: number, seconds: number): number {
  return second === 0 ? 0 : Math.max(1, second - (second % seconds));
}

/** The points of a series merged by windows of so many seconds, 1 or more. Throws `sum-too-large`. */
export function inWindows(
  columns: SumColumns & DistributionColumns,
  seconds: number,
): SumColumns & DistributionColumns {
  if (seconds === 1) return columns;
  const second = columns.second.map((each) => windowOf(each, seconds));
  return mergeSeries([{ ...columns, second }]);
}
