import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { mergeSeries, mergeSums } from "../model/merge-points.ts";
import type { TimeSlice } from "./time-slice.ts";

/** Endpoints that wait to be merged: few enough to stay small, many enough to sort seldom. */
const PARTS_AT_A_TIME = 16;

/** All series as one. Other work gets its turn in between. Throws `sum-too-large`. */
export function mergeAllSeries(
  series: AsyncIterable<{ readonly columns: SumColumns & DistributionColumns }>,
  slice: TimeSlice,
): Promise<SumColumns & DistributionColumns> {
  return mergeAll(series, mergeSeries, slice);
}

/** The same of sums alone. */
export function mergeAllSums(
  series: AsyncIterable<{ readonly columns: SumColumns }>,
  slice: TimeSlice,
): Promise<SumColumns> {
  return mergeAll(series, mergeSums, slice);
}

async function mergeAll<Columns>(
  series: AsyncIterable<{ readonly columns: Columns }>,
  merge: (parts: readonly Columns[]) => Columns,
  slice: TimeSlice,
): Promise<Columns> {
  let parts: Columns[] = [];
  for await (const { columns } of series) {
    parts.push(columns);
    if (parts.length === PARTS_AT_A_TIME) parts = [merge(parts)];
    if (slice.isOver()) await slice.next();
  }
  return merge(parts);
}
