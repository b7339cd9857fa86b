import type { DataPoints, DistributionColumns } from "../model/data-points.ts";
import { bucketOf } from "../model/buckets/bucket-layout.ts";
import { BOUNDS } from "../model/histogram.ts";
import { mergePoints } from "../model/merge-points.ts";
import type { SampleBatch, SampleWindow } from "../model/sample-batch.ts";
import { areMany, type SampleAggregator } from "./sample-aggregator.ts";

/** What is merged together: fewer would be merged too often, more take memory. */
const ROWS_AT_ONCE = 16 * 1024;
const PARTS_AT_ONCE = 64;

/** The aggregator for anything small, and for rows that stand for several requests: each row is a point to merge. */
export class RowAggregator implements SampleAggregator {
  #parts: DataPoints[] = [];
  /** Points of the first part, which is merged; the others have a point for each row. */
  #merged = 0;
  #rows = 0;
  #latencies = 0;

  /** At most this many. */
  get points(): number {
    return this.#merged + this.#rows;
  }

  wantsFlush(labels: number): boolean {
    return areMany({ points: this.points, latencies: this.#latencies }, labels);
  }

  record(batch: SampleBatch): void {
    this.#parts.push(pointsOfRows(batch));
    this.#rows += batch.rows;
    this.#latencies += batch.rows;
    const isMuch = this.#rows >= Math.max(ROWS_AT_ONCE, this.#merged);
    if (!isMuch && this.#parts.length < PARTS_AT_ONCE) return;
    const merged = mergePoints(this.#parts);
    this.#parts = [merged];
    this.#merged = merged.second.length;
    this.#rows = 0;
  }

  flush(): DataPoints {
    const points = mergePoints(this.#parts);
    this.#parts = [];
    [this.#merged, this.#rows, this.#latencies] = [0, 0, 0];
    return points;
  }
}

function pointsOfRows(batch: SampleBatch): DataPoints {
  const { rows } = batch;
  const requests = Float64Array.from(batch.requests.subarray(0, rows));
  const failedRequests = Float64Array.from(batch.failedRequests.subarray(0, rows));
  const elapsedMicros = batch.elapsedMicros.slice(0, rows);
  const receivedBytes = batch.receivedBytes.slice(0, rows);
  return {
    endpoint: Uint32Array.from(batch.label.subarray(0, rows)),
    second: batch.second.slice(0, rows),
    requests,
    elapsedMicros,
    receivedBytes,
    failedRequests,
    failedElapsedMicros: failedShare(elapsedMicros, failedRequests, requests),
    failedReceivedBytes: failedShare(receivedBytes, failedRequests, requests),
    ...distributionsOf(requests, elapsedMicros),
  };
}

/** Of a row of several requests only the average is known. */
function distributionsOf(requests: Float64Array, elapsedMicros: Float64Array): DistributionColumns {
  const [minMicros, maxMicros] = [elapsedMicros.slice(), elapsedMicros.slice()];
  const bucketsFrom = new Uint32Array(requests.length + 1);
  const bucket = new Uint16Array(requests.length);
  let used = 0;
  for (let row = 0; row < requests.length; row++) {
    if (requests[row] === 1) bucket[used++] = bucketOf(elapsedMicros[row] as number);
    else {
      minMicros[row] = BOUNDS.unknown.min;
      maxMicros[row] = BOUNDS.unknown.max;
    }
    bucketsFrom[row + 1] = used;
  }
  const bucketCount = new Float64Array(used).fill(1);
  return { minMicros, maxMicros, bucketsFrom, bucket: bucket.subarray(0, used), bucketCount };
}

/** What failed requests have of the sum of their row, rounded half up. */
function failedShare(sums: Float64Array, failed: Float64Array, requests: Float64Array) {
  const shares = new Float64Array(sums.length);
  for (let row = 0; row < sums.length; row++) {
    const [sum, part, whole] = [sums[row], failed[row], requests[row]] as [number, number, number];
    if (part === 0) continue;
    const twice = 2n * BigInt(whole);
    shares[row] =
      part === whole ? sum : Number((2n * BigInt(sum) * BigInt(part) + BigInt(whole)) / twice);
  }
  return shares;
}

/** Throws `sum-too-large`. */
export function pointsOfWindows(windows: readonly SampleWindow[]): DataPoints {
  const histograms = windows.map(histogramOf);
  const bucketsFrom = new Uint32Array(windows.length + 1);
  for (const [point, histogram] of histograms.entries()) {
    bucketsFrom[point + 1] = (bucketsFrom[point] as number) + histogram.length;
  }
  const column = (valueOf: (window: SampleWindow) => number) => Float64Array.from(windows, valueOf);
  const points = {
    endpoint: Uint32Array.from(windows, ({ label }) => label),
    second: Uint32Array.from(windows, ({ second }) => second),
    requests: column(({ requests }) => requests),
    elapsedMicros: column(({ elapsedMicros }) => elapsedMicros),
    receivedBytes: column(({ receivedBytes }) => receivedBytes),
    failedRequests: column(({ failedRequests }) => failedRequests),
    failedElapsedMicros: column(({ failedElapsedMicros }) => failedElapsedMicros),
    failedReceivedBytes: column(({ failedReceivedBytes }) => failedReceivedBytes),
    minMicros: column((window) => window.minMicros ?? boundsOf(window).min),
    maxMicros: column((window) => window.maxMicros ?? boundsOf(window).max),
    bucketsFrom,
    bucket: Uint16Array.from(histograms.flat(), ([bucket]) => bucket),
    bucketCount: Float64Array.from(histograms.flat(), ([, count]) => count),
    windowSeconds: Uint16Array.from(windows, ({ windowSeconds }) => windowSeconds),
    untimedRequests: column(({ untimedRequests = 0 }) => untimedRequests),
    untimedFailedRequests: column(({ untimedFailedRequests = 0 }) => untimedFailedRequests),
  };
  return mergePoints([points]);
}

function boundsOf({ requests, untimedRequests = 0 }: SampleWindow) {
  return requests === untimedRequests ? BOUNDS.none : BOUNDS.unknown;
}

/** (bucket, count) pairs, ascending by bucket. */
function histogramOf(window: SampleWindow): [bucket: number, count: number][] {
  const counts = new Map<number, number>();
  for (const latency of window.latencies) {
    const bucket = bucketOf(latency.elapsedMicros);
    counts.set(bucket, (counts.get(bucket) ?? 0) + latency.requests);
  }
  return [...counts].toSorted(([left], [right]) => left - right);
}
