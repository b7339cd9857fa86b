/**
 * An estimate of how few bytes the columns of data points can take: what a perfect coder would need
 * that knows the parameters of each endpoint's own distributions, and pays for them (half of log2 of the number
 * of values each).
 *
 * - seconds: which ones of those between the first and the last;
 * - requests and failed requests: order 0 over all points;
 * - sums: Gaussian, given the number of requests (of failed ones where some failed), in steps of what
 *   divides all of them;
 * - histogram: multinomial of the endpoint's own buckets; nothing for a single request, whose bucket is
 *   that of the sum;
 * - minimum and maximum: log-normal of their own, or jointly with the histogram, which leaves their
 *   place within their bucket; nothing where they follow from the sum (one request, the second of two).
 */

import type { DataPoints } from "../../src/model/data-points.ts";
import { bucketOf, bucketWidth } from "../../src/model/buckets/bucket-layout.ts";
import {
  choiceBits,
  gaussianSumBits,
  log2Factorial,
  logNormalBits,
  orderZeroBits,
} from "./bits.ts";
import type { PointSet } from "./point-sets.ts";

export interface Entropy {
  /** Each column by itself. */
  readonly apartBytes: number;
  /** Minimum and maximum with the histogram. */
  readonly jointBytes: number;
}

export function entropyOf({ batches }: PointSet): Entropy {
  const points = batches.flatMap((batch) => pointsOf(batch));
  const shared =
    orderZeroBits(points.map(({ requests }) => requests)) +
    orderZeroBits(points.map(({ failedRequests }) => failedRequests));
  let [apart, joint] = [shared, shared];
  for (const own of Map.groupBy(points, ({ endpoint }) => endpoint).values()) {
    const sums = sumBits(own) + histogramBits(own);
    const spread = own.filter(({ requests }) => requests > 1);
    const wide = own.filter(({ requests }) => requests > 2);
    apart += sums + logNormalBits(spread.map(({ min }) => min));
    apart += logNormalBits(wide.map(({ max }) => max));
    joint += sums + placeBits(spread.map(({ min }) => min)) + placeBits(wide.map(({ max }) => max));
  }
  return { apartBytes: apart / 8, jointBytes: joint / 8 };
}

interface Point {
  readonly endpoint: number;
  readonly second: number;
  readonly requests: number;
  readonly elapsed: number;
  readonly bytes: number;
  readonly failedRequests: number;
  readonly failedElapsed: number;
  readonly failedBytes: number;
  readonly min: number;
  readonly max: number;
  readonly buckets: readonly (readonly [bucket: number, count: number])[];
}

function pointsOf(batch: DataPoints): readonly Point[] {
  return Array.from(batch.second, (second, point) => {
    const buckets: [number, number][] = [];
    const until = batch.bucketsFrom[point + 1] as number;
    for (let entry = batch.bucketsFrom[point] as number; entry < until; entry++) {
      buckets.push([batch.bucket[entry] as number, batch.bucketCount[entry] as number]);
    }
    return {
      endpoint: batch.endpoint[point] as number,
      second,
      requests: batch.requests[point] as number,
      elapsed: batch.elapsedMicros[point] as number,
      bytes: batch.receivedBytes[point] as number,
      failedRequests: batch.failedRequests[point] as number,
      failedElapsed: batch.failedElapsedMicros[point] as number,
      failedBytes: batch.failedReceivedBytes[point] as number,
      min: batch.minMicros[point] as number,
      max: batch.maxMicros[point] as number,
      buckets,
    };
  });
}

/** Seconds and sums of the points of one endpoint. */
function sumBits(points: readonly Point[]): number {
  const seconds = points.map(({ second }) => second);
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)];
  const requests = points.map((point) => point.requests);
  const failing = points.filter(({ failedRequests }) => failedRequests > 0);
  const failed = failing.map(({ failedRequests }) => failedRequests);
  return (
    choiceBits(points.length, last - first + 1) +
    gaussianSumBits(
      points.map(({ elapsed }) => elapsed),
      requests,
    ) +
    gaussianSumBits(
      points.map(({ bytes }) => bytes),
      requests,
    ) +
    gaussianSumBits(
      failing.map(({ failedElapsed }) => failedElapsed),
      failed,
    ) +
    gaussianSumBits(
      failing.map(({ failedBytes }) => failedBytes),
      failed,
    )
  );
}

function histogramBits(points: readonly Point[]): number {
  const counted = points.filter(({ requests }) => requests > 1);
  const totals = new Map<number, number>();
  let values = 0;
  for (const [bucket, count] of counted.flatMap(({ buckets }) => buckets)) {
    totals.set(bucket, (totals.get(bucket) ?? 0) + count);
    values += count;
  }
  if (values === 0) return 0;
  let bits = 0.5 * (totals.size - 1) * Math.log2(values);
  for (const { requests, buckets } of counted) {
    bits -= log2Factorial(requests);
    for (const [bucket, count] of buckets) {
      const share = (totals.get(bucket) as number) / values;
      bits += log2Factorial(count) - count * Math.log2(share);
    }
  }
  return bits;
}

/** Where within its bucket a value is; those of the data sets are whole milliseconds. */
function placeBits(values: readonly number[]): number {
  const quantum = values.every((value) => value % 1000 === 0) ? 1000 : 1;
  return values.reduce(
    (bits, value) => bits + Math.max(0, Math.log2(bucketWidth(bucketOf(value)) / quantum)),
    0,
  );
}
