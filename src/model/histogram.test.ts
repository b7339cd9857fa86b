import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Histogram, quantileMicros } from "../../test/support/histograms.ts";
import { plainBucketOf } from "../../test/support/plain-points.ts";
import { BUCKET_COUNT, bucketFloor, bucketOf, bucketWidth } from "./buckets/bucket-layout.ts";
import { rankOf, valueIn } from "./histogram.ts";

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
    const last = Math.min(first + bucketWidth(bucket) - 1, Number.MAX_SAFE_INTEGER);
    expect(bucketOf(first)).toBe(bucket);
    expect(bucketOf(last)).toBe(bucket);
    expect(Math.min(bucketFloor(bucket + 1), 2 ** 53)).toBe(last + 1);
  }
});

test("no bucket of several values has a whole millisecond as its middle", () => {
  const times = { minMicros: 0, maxMicros: Infinity, isWholeMillis: false };
  // The last one ends above 2^53 - 1.
  const several = Array.from({ length: BUCKET_COUNT - 1 }, (_, bucket) => bucket).filter(
    (bucket) => bucketWidth(bucket) > 1,
  );
  expect(several.filter((bucket) => valueIn(bucket, times) % 1000 === 0)).toEqual([]);
});

test("from 100 on, all values of a bucket are the same number in three digits", () => {
  for (let bucket = 100; bucket < BUCKET_COUNT; bucket++) {
    const first = bucketFloor(bucket);
    const last = Math.min(first + bucketWidth(bucket) - 1, Number.MAX_SAFE_INTEGER);
    // A half rounds up, as doubles below do not always.
    const digits = [first, last].map((value) => (value + 0.01).toPrecision(3));
    expect(digits[0]).toBe(digits[1]);
  }
});

test("a quantile is within 0.1 % of the nearest rank and never outside minimum and maximum", () => {
  fc.assert(
    fc.property(
      fc.array(micros, { minLength: 1, maxLength: 200 }),
      fc.nat(10_000),
      (values, tenThousandths) => {
        const sorted = values.toSorted((left, right) => left - right);
        // Exact: a double just above a ratio, as of 0.07 and 100 values, would be the next rank here.
        const rank = Math.max(1, Math.ceil((tenThousandths * sorted.length) / 10_000));
        const exact = sorted[rank - 1] as number;
        const answer = quantileMicros(histogramOf(sorted), tenThousandths / 10_000) as number;
        expect(Math.abs(answer - exact)).toBeLessThanOrEqual(exact * 0.001);
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

// The bucket of 1,000 is the upper end of that number, 1,000 alone. Those of 1,004 and 1,007 are a fifth of 10 wide: 1,003 and 1,004, 1,007 and
// 1,008.
test.each([
  { quantile: "0", q: 0, micros: 1000 },
  { quantile: "the first of four", q: 0.25, micros: 1000 },
  { quantile: "the second", q: 0.5, micros: 1003 },
  { quantile: "the third", q: 0.75, micros: 1007 },
  { quantile: "just above the third", q: 0.751, micros: 5050 },
  { quantile: "1", q: 1, micros: 5050 },
])("of 1000, 1004, 1007 and 5050, quantile $quantile is $micros", ({ q, micros: wanted }) => {
  expect(quantileMicros(histogramOf([1000, 1004, 1007, 5050]), q)).toBe(wanted);
});

test("the middle of a bucket is clamped to the extremes", () => {
  // 5,045 to 5,054, whose middle is 5,049.
  expect(quantileMicros(histogramOf([5050, 5051, 5052]), 0.5)).toBe(5050);
  expect(quantileMicros(histogramOf([5046, 5047, 5048]), 0.5)).toBe(5048);
});

// The bucket of 5,000 is 5,000 to 5,004. That of 2,000,000 is 1,999,000 to 2,000,999, which holds 1,999,000 and
// 2,000,000; its middle rounded down is 1,999,999. That of 5,500 is 5,495 to 5,504, without a whole millisecond.
test.each([
  { bucket: 5000, isWholeMillis: true, micros: 5000 },
  { bucket: 5000, isWholeMillis: false, micros: 5002 },
  { bucket: 5500, isWholeMillis: true, micros: 5499 },
  { bucket: 2_000_000, isWholeMillis: true, micros: 1_999_999 },
])("$micros stands for the bucket of $bucket, whole milliseconds: $isWholeMillis", (given) => {
  const { bucket, isWholeMillis, micros: wanted } = given;
  const times = { minMicros: 0, maxMicros: 3_000_000, isWholeMillis };
  expect(valueIn(bucketOf(bucket), times)).toBe(wanted);
});

test("below 1,000 a quantile is the value itself", () => {
  expect(quantileMicros(histogramOf([5, 998, 999]), 0.5)).toBe(998);
});

test.each([
  { q: 0, total: 5, rank: 1, why: "there is no rank 0" },
  { q: 0.5, total: 4, rank: 2, why: "2 of 4 are half of them" },
  { q: 0.5, total: 5, rank: 3, why: "2 of 5 are less than half" },
  { q: 0.07, total: 100, rank: 7, why: "0.07 * 100 is a little more than 7 in doubles" },
  { q: 0.29, total: 100, rank: 29, why: "0.29 * 100 is a little less than 29 in doubles" },
  { q: 0.9999, total: 10_001, rank: 10_000, why: "9,999.9999 is no rank" },
  { q: 1, total: 3, rank: 3, why: "all of them" },
])("quantile $q of $total values is that of rank $rank: $why", ({ q, total, rank }) => {
  expect(rankOf(q, total)).toBe(rank);
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
