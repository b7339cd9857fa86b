import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { mergeSeries, mergeSums } from "../model/merge-points.ts";
import type { TimeSlice } from "./time-slice.ts";

/** Series that wait to be merged, at least: fewer would be sorted too often. */
const PARTS_MIN = 16;
/**
 * How large they have to be by what was merged already. All of that is gone through each time; so with
 * a share of it, however small, many thousands of endpoints take no more time for each than a few.
 */
const WAITING_SHARE_MIN = 0.25;
/** What a series takes beside its rows, in rows: columns of three points are mostly that. */
const ROWS_OF_A_PART = 100;

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

async function mergeAll<Columns extends SumColumns & Partial<DistributionColumns>>(
  series: AsyncIterable<{ readonly columns: Columns }>,
  merge: (parts: readonly Columns[]) => Columns,
  slice: TimeSlice,
): Promise<Columns> {
  let parts: Columns[] = [];
  let [mergedRows, waitingRows] = [0, 0];
  for await (const { columns } of series) {
    parts.push(columns);
    waitingRows += rowsOf(columns);
    if (parts.length >= PARTS_MIN && waitingRows >= mergedRows * WAITING_SHARE_MIN) {
      const merged = merge(parts);
      [parts, mergedRows, waitingRows] = [[merged], rowsOf(merged), 0];
    }
    if (slice.isOver()) await slice.next();
  }
  return merge(parts);
}

function rowsOf({ second, bucket }: SumColumns & Partial<DistributionColumns>): number {
  return ROWS_OF_A_PART + second.length + (bucket?.length ?? 0);
}
