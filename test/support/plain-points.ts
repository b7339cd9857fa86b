/** Data points, computed directly from their definition. The optimised code must match. */

import * as fc from "fast-check";
import type { DataPoints } from "../../src/model/data-points.ts";

export interface PlainSample {
  readonly endpoint: number;
  readonly second: number;
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
  readonly failed: boolean;
}

/** Samples of few endpoints and seconds, so that they overlap; values of every magnitude. */
export const samplesArbitrary: fc.Arbitrary<PlainSample[]> = fc.array(
  fc.record({
    endpoint: fc.integer({ min: 0, max: 3 }),
    second: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1.7e9, max: 1.7e9 + 3 })),
    elapsedMicros: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 ** 40 })),
    receivedBytes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 40 })),
    failed: fc.boolean(),
  }),
  { maxLength: 60 },
);

/** Aggregates samples by the definition: group, then add up with plain arrays. */
export function pointsOf(samples: readonly PlainSample[]): DataPoints {
  const groups = new Map<number, PlainSample[]>();
  for (const sample of samples) {
    const key = sample.endpoint * 2 ** 32 + sample.second;
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  const keys = [...groups.keys()].toSorted((left, right) => left - right);
  const points = keys.map((key) => groups.get(key) ?? []);
  const buckets = points.map((point) => bucketsOf(point));
  let entries = 0;
  return {
    endpoint: Uint32Array.from(keys, (key) => Math.floor(key / 2 ** 32)),
    second: Uint32Array.from(keys, (key) => key % 2 ** 32),
    requests: Float64Array.from(points, (point) => point.length),
    elapsedMicros: Float64Array.from(points, (point) => total(point, "elapsedMicros")),
    receivedBytes: Float64Array.from(points, (point) => total(point, "receivedBytes")),
    failedRequests: Float64Array.from(points, (point) => failed(point).length),
    failedElapsedMicros: Float64Array.from(points, (point) =>
      total(failed(point), "elapsedMicros"),
    ),
    failedReceivedBytes: Float64Array.from(points, (point) =>
      total(failed(point), "receivedBytes"),
    ),
    minMicros: Float64Array.from(points, (point) => Math.min(...elapsed(point))),
    maxMicros: Float64Array.from(points, (point) => Math.max(...elapsed(point))),
    bucketsFrom: Uint32Array.from([0, ...buckets.map((own) => (entries += own.length))]),
    bucket: Uint16Array.from(buckets.flatMap((own) => own.map(([bucket]) => bucket))),
    bucketCount: Float64Array.from(buckets.flatMap((own) => own.map(([, count]) => count))),
    ...outcomesOf(points),
  };
}

/** Of the points with passed and with failed samples, the times of each. */
function outcomesOf(points: readonly (readonly PlainSample[])[]): Pick<DataPoints, "outcomes"> {
  const mixed = [...points.keys()].filter((at) => {
    const own = points[at] ?? [];
    return own.some((sample) => sample.failed) && own.some((sample) => !sample.failed);
  });
  if (mixed.length === 0) return {};
  const passedOf = (at: number) => elapsed((points[at] ?? []).filter((sample) => !sample.failed));
  const failedOf = (at: number) => failed(points[at] ?? []);
  const buckets = mixed.map((at) => bucketsOf(failedOf(at)));
  let entries = 0;
  return {
    outcomes: {
      point: Uint32Array.from(mixed),
      passedMinMicros: Float64Array.from(mixed, (at) => Math.min(...passedOf(at))),
      passedMaxMicros: Float64Array.from(mixed, (at) => Math.max(...passedOf(at))),
      failed: {
        minMicros: Float64Array.from(mixed, (at) => Math.min(...elapsed(failedOf(at)))),
        maxMicros: Float64Array.from(mixed, (at) => Math.max(...elapsed(failedOf(at)))),
        bucketsFrom: Uint32Array.from([0, ...buckets.map((own) => (entries += own.length))]),
        bucket: Uint16Array.from(buckets.flatMap((own) => own.map(([bucket]) => bucket))),
        bucketCount: Float64Array.from(buckets.flatMap((own) => own.map(([, count]) => count))),
      },
    },
  };
}

function bucketsOf(point: readonly PlainSample[]): [bucket: number, count: number][] {
  const counts = new Map<number, number>();
  for (const { elapsedMicros } of point) {
    const bucket = plainBucketOf(elapsedMicros);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return [...counts].toSorted(([left], [right]) => left - right);
}

/**
 * The bucket of a value by its digits: exact below 1,000. Above, a number of three digits that the value rounds to has five buckets up to
 * 250, two up to 500, else one.
 */
export function plainBucketOf(value: number): number {
  if (value < 1000) return value;
  let [unit, bucket] = [10n, 1000];
  // In half units, as numbers end at halves.
  const half = 2n * BigInt(value);
  for (; half >= 1999n * unit; unit *= 10n) bucket += 1752;
  const number = Number((half + unit) / (2n * unit));
  // From 0 to 9 tenths, from the lower end of the number.
  const tenths = Number((5n * (half + unit)) / unit) % 10;
  if (number <= 250) return bucket + 5 * (number - 100) + Math.floor(tenths / 2) - 2;
  if (number <= 500) return bucket + 753 + 2 * (number - 251) + Math.floor(tenths / 5);
  return bucket + 1253 + (number - 501);
}

function elapsed(point: readonly PlainSample[]): number[] {
  return point.map((sample) => sample.elapsedMicros);
}

function failed(point: readonly PlainSample[]): PlainSample[] {
  return point.filter((sample) => sample.failed);
}

function total(point: readonly PlainSample[], field: "elapsedMicros" | "receivedBytes"): number {
  return point.reduce((sum, sample) => sum + sample[field], 0);
}
