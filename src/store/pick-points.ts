/** Some points out of columns, by their indexes. */

import type { DataPoints, DistributionColumns } from "../model/data-points.ts";
import type { PointSums } from "./store.ts";

/** The sums of these points, in this order. */
export function pickSums(points: PointSums, wanted: Uint32Array): PointSums {
  const { windowSeconds } = points;
  return {
    endpoint: integers(points.endpoint, wanted),
    second: integers(points.second, wanted),
    requests: sums(points.requests, wanted),
    elapsedMicros: sums(points.elapsedMicros, wanted),
    receivedBytes: sums(points.receivedBytes, wanted),
    failedRequests: sums(points.failedRequests, wanted),
    failedElapsedMicros: sums(points.failedElapsedMicros, wanted),
    failedReceivedBytes: sums(points.failedReceivedBytes, wanted),
    ...(windowSeconds && {
      windowSeconds: Uint16Array.from(wanted, (point) => windowSeconds[point] as number),
    }),
  };
}

/** The same with their distributions. */
export function pickPoints(points: DataPoints, wanted: Uint32Array): DataPoints {
  return {
    ...pickSums(points, wanted),
    minMicros: sums(points.minMicros, wanted),
    maxMicros: sums(points.maxMicros, wanted),
    ...arrangeHistograms(points, wanted),
  };
}

function integers(column: Uint32Array, wanted: Uint32Array): Uint32Array {
  const picked = new Uint32Array(wanted.length);
  for (let at = 0; at < wanted.length; at++) picked[at] = column[wanted[at] as number] as number;
  return picked;
}

function sums(column: Float64Array, wanted: Uint32Array): Float64Array {
  const picked = new Float64Array(wanted.length);
  for (let at = 0; at < wanted.length; at++) picked[at] = column[wanted[at] as number] as number;
  return picked;
}

function arrangeHistograms(
  points: DistributionColumns,
  order: Uint32Array,
): Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount"> {
  const bucketsFrom = new Uint32Array(order.length + 1);
  const bucket = new Uint16Array(points.bucket.length);
  const bucketCount = new Float64Array(points.bucket.length);
  let used = 0;
  for (let at = 0; at < order.length; at++) {
    const point = order[at] as number;
    const until = points.bucketsFrom[point + 1] as number;
    for (let entry = points.bucketsFrom[point] as number; entry < until; entry++) {
      bucket[used] = points.bucket[entry] as number;
      bucketCount[used++] = points.bucketCount[entry] as number;
    }
    bucketsFrom[at + 1] = used;
  }
  return {
    bucketsFrom,
    bucket: bucket.subarray(0, used),
    bucketCount: bucketCount.subarray(0, used),
  };
}
