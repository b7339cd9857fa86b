import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { mergeSeries } from "../model/merge-points.ts";
import type { TimeSlice } from "./time-slice.ts";

/** Endpoints that wait to be merged: few enough to stay small, many enough to sort seldom. */
const PARTS_AT_A_TIME = 16;

/** All series as one. Other work gets its turn in between. Throws `sum-too-large`. */
export async function mergeAllSeries(
  series: AsyncIterable<{ readonly columns: SumColumns & DistributionColumns }>,
  slice: TimeSlice,
): Promise<SumColumns & DistributionColumns> {
  let parts: (SumColumns & DistributionColumns)[] = [];
  for await (const { columns } of series) {
    parts.push(columns);
    if (parts.length === PARTS_AT_A_TIME) parts = [mergeSeries(parts)];
    if (slice.isOver()) await slice.next();
  }
  return mergeSeries(parts);
}
