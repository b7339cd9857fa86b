import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Histogram, quantileMicros } from "../../test/support/histograms.ts";
import { plainBucketOf } from "../../test/support/plain-points.ts";
import { BUCKET_COUNT, bucketFloor, bucketOf, bucketWidth, rankOf, valueIn } from "./histogram.ts";

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

// A bucket of 1,000 is 8 wide: 1,000 to 1,007, its middle rounded down 1,003. One of 5,050 is 64 wide:
// 4,992 to 5,055, its middle 5,023.
test.each([
  { quantile: "0", q: 0, micros: 1000 },
  { quantile: "the first of four", q: 0.25, micros: 1000 },
  { quantile: "the second", q: 0.5, micros: 1003 },
  { quantile: "the third", q: 0.75, micros: 1003 },
  { quantile: "just above the third", q: 0.751, micros: 5050 },
  { quantile: "1", q: 1, micros: 5050 },
])("of 1000, 1004, 1007 and 5050, quantile $quantile is $micros", ({ q, micros: wanted }) => {
  expect(quantileMicros(histogramOf([1000, 1004, 1007, 5050]), q)).toBe(wanted);
});

test("the middle of a bucket is clamped to the extremes", () => {
  expect(quantileMicros(histogramOf([1005, 1006, 1007]), 0.5)).toBe(1005);
  expect(quantileMicros(histogramOf([1000, 1001, 1002]), 0.5)).toBe(1002);
});

// The bucket of 5,000 is 4,992 to 5,055. That of 200,000 is 198,656 to 200,703, which holds 199,000 and
// 200,000; its middle rounded down is 199,679. That of 5,500 is 5,440 to 5,503, without a whole millisecond.
test.each([
  { bucket: 5000, isWholeMillis: true, micros: 5000 },
  { bucket: 5000, isWholeMillis: false, micros: 5023 },
  { bucket: 5500, isWholeMillis: true, micros: 5471 },
  { bucket: 200_000, isWholeMillis: true, micros: 199_679 },
])("$micros stands for the bucket of $bucket, whole milliseconds: $isWholeMillis", (given) => {
  const { bucket, isWholeMillis, micros: wanted } = given;
  const times = { minMicros: 0, maxMicros: 300_000, isWholeMillis };
  expect(valueIn(bucketOf(bucket), times)).toBe(wanted);
});

test("below 128 a quantile is the value itself", () => {
  expect(quantileMicros(histogramOf([5, 7, 127]), 0.5)).toBe(7);
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
