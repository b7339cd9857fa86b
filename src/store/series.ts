import { releaseMemory } from "../concurrency/release-memory.ts";
import { lowerBound, mapSums, pickPoints, viewSeries } from "../model/columns.ts";
import type { DataPoints, DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { PointSums } from "./snapshot.ts";

/** Returns copies of the points with index `from` to `until` (half open). */
export function sliceSums(points: SumColumns, from: number, until: number): SumColumns {
  return mapSums(points, (column) => column.slice(from, until) as typeof column);
}

/** The same with distributions. */
export function sliceDistribution(
  points: DistributionColumns,
  from: number,
  until: number,
): DistributionColumns {
  const firstEntry = points.bucketsFrom[from] as number;
  const lastEntry = points.bucketsFrom[until] as number;
  return {
    minMicros: points.minMicros.slice(from, until),
    maxMicros: points.maxMicros.slice(from, until),
    bucketsFrom: points.bucketsFrom.slice(from, until + 1).map((entry) => entry - firstEntry),
    bucket: points.bucket.slice(firstEntry, lastEntry),
    bucketCount: points.bucketCount.slice(firstEntry, lastEntry),
  };
}

/** The same as `viewSeries`, with endpoints. */
export function viewPoints(points: DataPoints, from: number, until: number): DataPoints {
  return { endpoint: points.endpoint.subarray(from, until), ...viewSeries(points, from, until) };
}

export function viewSums(points: PointSums, from: number, until: number): PointSums {
  return {
    endpoint: points.endpoint.subarray(from, until),
    ...mapSums(points, (column) => column.subarray(from, until) as typeof column),
  };
}

/** Consecutive points as indexes, half open. */
export interface IndexRange {
  readonly from: number;
  readonly until: number;
}

/** Several of them: range i is `[from[i], until[i])`. */
export interface IndexRanges {
  readonly from: Uint32Array;
  readonly until: Uint32Array;
}

/** Returns the points of all ranges, in the order of the ranges. There are `count`. */
export function arrangePoints(
  points: DataPoints,
  { from, until }: IndexRanges,
  count: number,
): DataPoints {
  const order = new Uint32Array(count);
  let at = 0;
  for (let range = 0; range < from.length; range++) {
    const end = until[range] as number;
    for (let point = from[range] as number; point < end; point++) order[at++] = point;
  }
  const arranged = pickPoints(points, order);
  releaseMemory(order);
  return arranged;
}

/** Returns the indexes of the points within `range`, given ascending seconds; half open. */
export function indexesOf(
  second: Uint32Array,
  range: SecondRange,
): { readonly from: number; readonly until: number } {
  const from = lowerBound(second, range.from);
  return { from, until: Math.max(from, lowerBound(second, range.until)) };
}
