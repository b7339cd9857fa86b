import { lowerBound, mapSums } from "../model/columns.ts";
import type { OutcomeColumns } from "../model/data-points.ts";
import { sliceOutcomes } from "../model/outcomes.ts";
import type { SecondRange } from "../model/second-range.ts";

/** Returns a view of the points of a series, ascending by second, within the range. */
export function spanOf(points: OutcomeColumns, range: SecondRange): OutcomeColumns {
  const from = lowerBound(points.second, range.from);
  const until = Math.max(from, lowerBound(points.second, range.until));
  return viewOf(points, from, until);
}

/** Returns a view of the points from one index to another (half open). */
export function viewOf(points: OutcomeColumns, from: number, until: number): OutcomeColumns {
  // The first entry of a view can have any value.
  const entryAt = (point: number): number =>
    (points.bucketsFrom[point] as number) - (points.bucketsFrom[0] as number);
  const [firstEntry, endEntry] = [entryAt(from), entryAt(until)];
  return {
    ...mapSums(points, (column) => column.subarray(from, until) as typeof column),
    minMicros: points.minMicros.subarray(from, until),
    maxMicros: points.maxMicros.subarray(from, until),
    bucketsFrom: points.bucketsFrom.subarray(from, until + 1),
    bucket: points.bucket.subarray(firstEntry, endEntry),
    bucketCount: points.bucketCount.subarray(firstEntry, endEntry),
    ...(points.outcomes && { outcomes: sliceOutcomes(points.outcomes, from, until) }),
  };
}
