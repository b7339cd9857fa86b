import type { DataPoints } from "../model/data-points.ts";
import type { Measured } from "../model/measured.ts";

/** The rest of what was measured, and how many requests are not in it. */
export interface RestOfMeasured {
  readonly rest: Measured;
  readonly requests: number;
}

/** Takes points and failures of some labels out; active users stay, since they are of no label. */
export function withoutLabels(measured: Measured, labels: readonly string[]): RestOfMeasured {
  const { points, failures } = measured;
  const names = new Set(labels);
  const isKept = measured.labels.map((label) => !names.has(label));
  const kept = points.endpoint.map((label) => Number(isKept[label]));
  const counted = failures.counts.endpoint.map((label) => Number(isKept[label]));
  const { endpoint, kind, second, requests } = failures.counts;
  const counts = {
    endpoint: integers(endpoint, counted),
    kind: integers(kind, counted),
    second: integers(second, counted),
    requests: sums(requests, counted),
  };
  const left = points.requests.filter((_, point) => kept[point] === 0);
  return {
    rest: { ...measured, points: keptPoints(points, kept), failures: { ...failures, counts } },
    requests: left.reduce((sum, each) => sum + each, 0),
  };
}

/** For each row 1 where it stays, and 0 where it goes. */
type Kept = Uint32Array;

function keptPoints(points: DataPoints, kept: Kept): DataPoints {
  const { bucketsFrom, windowSeconds } = points;
  const keptEntries = new Uint32Array(points.bucket.length);
  const from = [0];
  for (const [point, isKept] of kept.entries()) {
    const [first, end] = [bucketsFrom[point] as number, bucketsFrom[point + 1] as number];
    keptEntries.fill(isKept, first, end);
    if (isKept === 1) from.push((from.at(-1) as number) + end - first);
  }
  return {
    endpoint: integers(points.endpoint, kept),
    second: integers(points.second, kept),
    requests: sums(points.requests, kept),
    elapsedMicros: sums(points.elapsedMicros, kept),
    receivedBytes: sums(points.receivedBytes, kept),
    failedRequests: sums(points.failedRequests, kept),
    failedElapsedMicros: sums(points.failedElapsedMicros, kept),
    failedReceivedBytes: sums(points.failedReceivedBytes, kept),
    ...(windowSeconds && { windowSeconds: windowSeconds.filter((_, row) => kept[row] === 1) }),
    minMicros: sums(points.minMicros, kept),
    maxMicros: sums(points.maxMicros, kept),
    bucketsFrom: Uint32Array.from(from),
    bucket: points.bucket.filter((_, entry) => keptEntries[entry] === 1),
    bucketCount: sums(points.bucketCount, keptEntries),
  };
}

function integers(column: Uint32Array, kept: Kept): Uint32Array {
  return column.filter((_, row) => kept[row] === 1);
}

function sums(column: Float64Array, kept: Kept): Float64Array {
  return column.filter((_, row) => kept[row] === 1);
}
