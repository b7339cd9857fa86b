/** Seeded load tests for benchmarks: synthetic, with the magnitudes of real ones. */

import type { DataPoints } from "../../src/model/data-points.ts";
import { bucketOf } from "../../src/model/buckets/bucket-layout.ts";

export interface DenseShape {
  readonly endpoints: number;
  readonly seconds: number;
  readonly requestsPerPoint: number;
  readonly firstSecond: number;
}

/** Numbers from 0 to 1; the same seed gives the same numbers on every machine. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A point for every endpoint and second: about `requestsPerPoint` requests (Poisson), log-normal whole
 * milliseconds around a median per endpoint, 200 to 20,000 bytes, 1 % failed.
 */
export function densePoints(shape: DenseShape, seed = 1): DataPoints {
  const random = randomFrom(seed);
  const count = shape.endpoints * shape.seconds;
  const points = emptyPoints(count);
  const bucketsFrom = new Uint32Array(count + 1);
  const bucket: number[] = [];
  const bucketCount: number[] = [];
  for (let point = 0; point < count; point++) {
    const endpoint = Math.floor(point / shape.seconds);
    points.endpoint[point] = endpoint;
    points.second[point] = shape.firstSecond + (point % shape.seconds);
    const medianMs = 20 + 13 * (endpoint % 40);
    const buckets = new Map<number, number>();
    points.minMicros[point] = Infinity;
    const requests = Math.max(1, poisson(random, shape.requestsPerPoint));
    for (let left = requests; left > 0; left--) {
      const micros = 1000 * Math.max(1, Math.round(medianMs * Math.exp(0.5 * normal(random))));
      addRequest(points, point, { micros, bytes: 200 + Math.floor(random() * 19_800) });
      if (random() < 0.01) addFailure(points, point, { micros, bytes: 200 });
      buckets.set(bucketOf(micros), (buckets.get(bucketOf(micros)) ?? 0) + 1);
    }
    for (const [number, values] of [...buckets].toSorted(([left], [right]) => left - right)) {
      bucket.push(number);
      bucketCount.push(values);
    }
    bucketsFrom[point + 1] = bucket.length;
  }
  return {
    ...points,
    bucketsFrom,
    bucket: Uint16Array.from(bucket),
    bucketCount: Float64Array.from(bucketCount),
  };
}

interface Request {
  readonly micros: number;
  readonly bytes: number;
}

type Columns = Omit<DataPoints, "bucketsFrom" | "bucket" | "bucketCount">;

function emptyPoints(count: number): Columns {
  return {
    endpoint: new Uint32Array(count),
    second: new Uint32Array(count),
    requests: new Float64Array(count),
    elapsedMicros: new Float64Array(count),
    receivedBytes: new Float64Array(count),
    failedRequests: new Float64Array(count),
    failedElapsedMicros: new Float64Array(count),
    failedReceivedBytes: new Float64Array(count),
    minMicros: new Float64Array(count),
    maxMicros: new Float64Array(count),
  };
}

function addRequest(points: Columns, point: number, request: Request): void {
  increase(points.requests, point, 1);
  increase(points.elapsedMicros, point, request.micros);
  increase(points.receivedBytes, point, request.bytes);
  points.minMicros[point] = Math.min(points.minMicros[point] as number, request.micros);
  points.maxMicros[point] = Math.max(points.maxMicros[point] as number, request.micros);
}

function addFailure(points: Columns, point: number, request: Request): void {
  increase(points.failedRequests, point, 1);
  increase(points.failedElapsedMicros, point, request.micros);
  increase(points.failedReceivedBytes, point, request.bytes);
}

function increase(column: Float64Array, index: number, by: number): void {
  column[index] = (column[index] as number) + by;
}

function poisson(random: () => number, mean: number): number {
  if (mean > 100) return Math.round(mean + Math.sqrt(mean) * normal(random));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
