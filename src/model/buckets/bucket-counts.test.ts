import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BucketCounts } from "./bucket-counts.ts";

const entries = fc.array(
  fc.tuple(
    fc.oneof(fc.nat(70), fc.nat(23_677), fc.constantFrom(0, 31, 32, 63, 64, 10_624, 23_677)),
    fc.integer({ min: 1, max: 2 ** 40 }),
  ),
  { maxLength: 40 },
);

type Entries = readonly (readonly [bucket: number, count: number])[];

function columnsOf(given: Entries) {
  const bucket = Uint16Array.from(given, ([each]) => each);
  return { bucket, bucketCount: Float64Array.from(given, ([, count]) => count) };
}

function addTo(counts: BucketCounts, given: Entries): number {
  return counts.add(columnsOf(given), 0, given.length);
}

/** Pairs ascending by bucket, by a map. */
function summedUp(given: Entries): [bucket: number, count: number][] {
  const sums = new Map<number, number>();
  for (const [bucket, count] of given) sums.set(bucket, (sums.get(bucket) ?? 0) + count);
  return [...sums].toSorted(([left], [right]) => left - right);
}

function contentsOf(counts: BucketCounts): [bucket: number, count: number][] {
  return [...counts.used()].map((bucket) => [bucket, counts.of(bucket)]);
}

test("counts by bucket add up, and nothing is left after clearing or moving them", () => {
  const counts = new BucketCounts();
  const other = new BucketCounts();
  fc.assert(
    fc.property(entries, entries, (some, more) => {
      expect(addTo(counts, some)).toBe(some.reduce((sum, [, count]) => sum + count, 0));
      expect(contentsOf(counts)).toEqual(summedUp(some));
      addTo(other, more);
      counts.merge(other);
      const all = summedUp([...some, ...more]);
      expect(contentsOf(counts)).toEqual(all);
      other.clear();
      expect(contentsOf(other)).toEqual([]);
      const moved = columnsOf([[7, 7], ...all]);
      moved.bucket.fill(0, 1);
      expect(counts.moveTo(moved, 1)).toBe(1 + all.length);
      expect(moved).toEqual(columnsOf([[7, 7], ...all]));
      expect(contentsOf(counts)).toEqual([]);
    }),
  );
});

test("the next bucket in use may be the given one, and none follows the last", () => {
  const counts = new BucketCounts();
  expect(counts.next(0)).toBeGreaterThan(23_677);
  addTo(counts, [
    [40, 1],
    [95, 1],
  ]);
  expect([0, 40, 41, 95].map((bucket) => counts.next(bucket))).toEqual([40, 40, 95, 95]);
  expect(counts.next(96)).toBeGreaterThan(23_677);
});

test("buckets in use are all in a table or not", () => {
  const counts = new BucketCounts();
  const table = new Uint8Array(23_678).fill(1, 5, 50);
  expect(counts.areAllIn(table)).toBe(true);
  addTo(counts, [[5, 1]]);
  expect(counts.areAllIn(table)).toBe(true);
  addTo(counts, [[50, 1]]);
  expect(counts.areAllIn(table)).toBe(false);
});

test("a count over 2^53 - 1 is refused, and one that reaches it is not", () => {
  const counts = new BucketCounts();
  addTo(counts, [
    [3, Number.MAX_SAFE_INTEGER - 1],
    [3, 1],
  ]);
  expect(counts.of(3)).toBe(Number.MAX_SAFE_INTEGER);
  const one = new BucketCounts();
  addTo(one, [[3, 1]]);
  const refused = expect.objectContaining({ code: "sum-too-large" });
  expect(() => counts.merge(one)).toThrow(refused);
  expect(() => addTo(counts, [[3, 1]])).toThrow(refused);
});
