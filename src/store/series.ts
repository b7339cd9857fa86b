/** Cutting the series of one endpoint out of columns. */

import type { DataPoints, DistributionColumns, SumColumns } from "../model/data-points.ts";
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

/** The points in another order: point i of the answer is point `order[i]`. */
export function pickPoints(points: DataPoints, order: Uint32Array): DataPoints {
  const pick = (column: Float64Array) => {
    const picked = new Float64Array(order.length);
    for (let rank = 0; rank < order.length; rank++) {
      picked[rank] = column[order[rank] as number] as number;
    }
    return picked;
  };
  return {
    endpoint: order.map((point) => points.endpoint[point] as number),
    second: order.map((point) => points.second[point] as number),
    requests: pick(points.requests),
    elapsedMicros: pick(points.elapsedMicros),
    receivedBytes: pick(points.receivedBytes),
    failedRequests: pick(points.failedRequests),
    failedElapsedMicros: pick(points.failedElapsedMicros),
    failedReceivedBytes: pick(points.failedReceivedBytes),
    minMicros: pick(points.minMicros),
    maxMicros: pick(points.maxMicros),
    ...pickHistograms(points, order),
  };
}

function pickHistograms(
  points: DistributionColumns,
  order: Uint32Array,
): Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount"> {
  const bucketsFrom = new Uint32Array(order.length + 1);
  const bucket = new Uint16Array(points.bucket.length);
  const bucketCount = new Float64Array(points.bucket.length);
  let used = 0;
  for (let rank = 0; rank < order.length; rank++) {
    const until = points.bucketsFrom[(order[rank] as number) + 1] as number;
    for (let entry = points.bucketsFrom[order[rank] as number] as number; entry < until; entry++) {
      bucket[used] = points.bucket[entry] as number;
      bucketCount[used++] = points.bucketCount[entry] as number;
    }
    bucketsFrom[rank + 1] = used;
  }
  return { bucketsFrom, bucket, bucketCount };
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
