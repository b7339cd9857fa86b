/** Cutting the series of one endpoint out of columns. */

import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { SecondRange } from "../model/second-range.ts";

/** The points with index `from` to `until` (half open), as columns of their own. */
export function sliceSums(points: SumColumns, from: number, until: number): SumColumns {
  return {
    second: points.second.slice(from, until),
    requests: points.requests.slice(from, until),
    elapsedMicros: points.elapsedMicros.slice(from, until),
    receivedBytes: points.receivedBytes.slice(from, until),
    failedRequests: points.failedRequests.slice(from, until),
    failedElapsedMicros: points.failedElapsedMicros.slice(from, until),
    failedReceivedBytes: points.failedReceivedBytes.slice(from, until),
  };
}

/** The same for the distributions of the points. */
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

/** Where the points of `range` lie among seconds that ascend: indexes, half open. */
export function indexesOf(
  second: Uint32Array,
  range: SecondRange,
): { readonly from: number; readonly until: number } {
  const from = lowerBound(second, range.from);
  return { from, until: Math.max(from, lowerBound(second, range.until)) };
}

/** The first index with a value of at least `wanted`. */
function lowerBound(ascending: Uint32Array, wanted: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
