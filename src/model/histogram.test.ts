import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plainBucketOf } from "../../test/support/plain-points.ts";
import {
  BUCKET_COUNT,
  bucketFloor,
  bucketOf,
  bucketWidth,
  type Histogram,
  quantileMicros,
} from "./histogram.ts";

const micros = fc.oneof(
  fc.nat(2000),
  fc.nat(2 ** 31 - 1),
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 53 }).map((power) => Math.min(2 ** power, Number.MAX_SAFE_INTEGER)),
  fc.integer({ min: 7, max: 53 }).map((power) => 2 ** power - 1),
);

test("bucketOf follows the rule for every value", () => {
  fc.assert(
    fc.property(micros, (value) => {
      expect(bucketOf(value)).toBe(plainBucketOf(value));
    }),
    { numRuns: 5000 },
  );
});

test("the largest value falls into the last bucket", () => {
  expect(bucketOf(Number.MAX_SAFE_INTEGER)).toBe(BUCKET_COUNT - 1);
});

test("every bucket begins where the one before it ends and knows its own values", () => {
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    const first = bucketFloor(bucket);
    const last = first + bucketWidth(bucket) - 1;
    expect(bucketOf(first)).toBe(bucket);
    expect(bucketOf(last)).toBe(bucket);
    expect(bucketFloor(bucket + 1)).toBe(last + 1);
  }
});

test("a quantile is within 0.79 % of the nearest rank and never outside minimum and maximum", () => {
  fc.assert(
    fc.property(
      fc.array(micros, { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, q) => {
        const sorted = values.toSorted((left, right) => left - right);
        const exact = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] as number;
        const answer = quantileMicros(histogramOf(sorted), q) as number;
        expect(Math.abs(answer - exact)).toBeLessThanOrEqual(exact * 0.0079);
        expect(answer).toBeGreaterThanOrEqual(sorted[0] as number);
        expect(answer).toBeLessThanOrEqual(sorted.at(-1) as number);
      },
    ),
    { numRuns: 2000 },
  );
});

test("an empty histogram has no quantile, and a recorded 0 is not lost", () => {
  expect(quantileMicros(histogramOf([]), 0.5)).toBeUndefined();
  expect(quantileMicros(histogramOf([0]), 0.5)).toBe(0);
});

function histogramOf(sorted: readonly number[]): Histogram {
  const counts = new Map<number, number>();
  for (const value of sorted) {
    const bucket = plainBucketOf(value);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return {
    total: sorted.length,
    minMicros: sorted[0],
    maxMicros: sorted.at(-1),
    buckets: [...counts.keys()],
    counts: [...counts.values()],
  };
}
