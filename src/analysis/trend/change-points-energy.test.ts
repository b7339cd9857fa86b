import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bestSplit } from "./change-points.ts";

test.each([
  ["a step in the middle", [1, 1, 1, 5, 5, 5], 3],
  ["a step near the end", [2, 3, 2, 3, 2, 9, 9, 8], 5],
  ["a step down", [7, 7, 7, 7, 1, 1, 1], 4],
])("values are split at %s", (_, values, at) => {
  expect(bestSplit(Float64Array.from(values), { from: 0, until: values.length })).toBe(at);
});

test("only values within the part count, and indexes refer to all values", () => {
  const values = Float64Array.of(99, 99, 1, 1, 1, 5, 5, 5, 99);
  expect(bestSplit(values, { from: 2, until: 8 })).toBe(5);
});

test("fewer than two levels of three values are not split", () => {
  expect(bestSplit(Float64Array.of(1, 1, 9, 9, 9), { from: 0, until: 5 })).toBeUndefined();
});

test.each([
  [6, 25, 100],
  [80, 120, 10],
])("%s to %s values are split where the divergence is largest", (minLength, maxLength, numRuns) => {
  const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength, maxLength });
  fc.assert(
    fc.property(values, (given) => {
      const at = bestSplit(Float64Array.from(given), { from: 0, until: given.length }) ?? 0;
      const all = Array.from({ length: given.length - 5 }, (_, index) =>
        divergence(given.slice(0, index + 3), given.slice(index + 3)),
      );
      expect(divergence(given.slice(0, at), given.slice(at))).toBeCloseTo(Math.max(...all), 9);
    }),
    { numRuns },
  );
});

/** Equations 5 and 6 of Matteson and James as they stand there, pair by pair. */
function divergence(left: readonly number[], right: readonly number[]): number {
  const [n, m] = [left.length, right.length];
  let between = 0;
  for (const x of left) for (const y of right) between += Math.abs(x - y);
  const energy = (2 / (n * m)) * between - within(left) - within(right);
  return ((n * m) / (n + m)) * energy;
}

/** The average distance of all pairs of different values. */
function within(values: readonly number[]): number {
  let [sum, pairs] = [0, 0];
  for (const [index, x] of values.entries()) {
    for (const y of values.slice(index + 1)) {
      sum += Math.abs(x - y);
      pairs += 1;
    }
  }
  return sum / pairs;
}
