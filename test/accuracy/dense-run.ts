/** Runs of many requests, built as data points. */

import { seededRandom } from "../../bench/seeded-random.ts";
import type { DataPoints } from "../../src/model/data-points.ts";
import { BUCKET_COUNT, bucketOf } from "../../src/model/buckets/bucket-layout.ts";

export interface DenseShape {
  readonly from: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** On all response times. */
  readonly factor: number;
  readonly failing: number;
  readonly seed: number;
}

const USUAL_MICROS = 50_000;
/** Of the logarithm of a response time. */
const DEVIATION = 0.6;
const DRAWS = 65_536;

/** Log-normal, with a median of 1. */
const times = (() => {
  const random = seededRandom(1);
  return Float64Array.from({ length: DRAWS }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.exp(DEVIATION * normal);
  });
})();

const counts = new Float64Array(BUCKET_COUNT);

/** One endpoint; every second has the same number of requests, independent of each other. */
export function densePoints(shape: DenseShape): DataPoints {
  const { from, seconds, requestsPerSecond, factor, failing } = shape;
  const random = seededRandom(shape.seed);
  const sums = Array.from({ length: 5 }, () => new Float64Array(seconds));
  const [elapsed, failed, failedElapsed, least, most] = sums as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const buckets: number[] = [];
  const bucketCounts: number[] = [];
  const bucketsFrom = new Uint32Array(seconds + 1);
  for (let second = 0; second < seconds; second++) {
    const used: number[] = [];
    least[second] = Infinity;
    for (let request = 0; request < requestsPerSecond; request++) {
      const draw = times[Math.floor(random() * DRAWS)] as number;
      const micros = Math.round(USUAL_MICROS * factor * draw);
      elapsed[second] = (elapsed[second] as number) + micros;
      least[second] = Math.min(least[second] as number, micros);
      most[second] = Math.max(most[second] as number, micros);
      if (random() < failing) {
        failed[second] = (failed[second] as number) + 1;
        failedElapsed[second] = (failedElapsed[second] as number) + micros;
      }
      const bucket = bucketOf(micros);
      if (counts[bucket] === 0) used.push(bucket);
      counts[bucket] = (counts[bucket] as number) + 1;
    }
    for (const bucket of used.toSorted((left, right) => left - right)) {
      buckets.push(bucket);
      bucketCounts.push(counts[bucket] as number);
      counts[bucket] = 0;
    }
    bucketsFrom[second + 1] = buckets.length;
  }
  return {
    endpoint: new Uint32Array(seconds),
    second: Uint32Array.from({ length: seconds }, (_, second) => from + second),
    requests: new Float64Array(seconds).fill(requestsPerSecond),
    elapsedMicros: elapsed,
    receivedBytes: new Float64Array(seconds),
    failedRequests: failed,
    failedElapsedMicros: failedElapsed,
    failedReceivedBytes: new Float64Array(seconds),
    minMicros: least,
    maxMicros: most,
    bucketsFrom,
    bucket: Uint16Array.from(buckets),
    bucketCount: Float64Array.from(bucketCounts),
  };
}
