import { expect, test } from "vitest";
import { chanceOfSplit } from "./chance.ts";

const split = (values: readonly number[], at: number, varianceMin = 0) =>
  chanceOfSplit(
    { values: Float64Array.from(values), varianceMin },
    { from: 0, at, until: values.length },
  );

test("the chance is that of Student's t, by hand", () => {
  // t = 4 / sqrt(1 * (1/3 + 1/3)), 4 degrees of freedom: 1 - s (1 + c²/2) with s² = 24/28, c² = 4/28.
  expect(split([1, 2, 3, 5, 6, 7], 3)).toBeCloseTo(1 - Math.sqrt(24 / 28) * (1 + 2 / 28), 12);
  expect(split([7, 6, 5, 3, 2, 1], 3)).toBeCloseTo(0.00805, 5);
});

test("noise is never assumed to be below the measurement precision", () => {
  // Nothing differs within both halves, and 1 between them: t = 1 / sqrt(1 * 2/3).
  const t = Math.sqrt(1.5);
  const angle = Math.atan(t / 2);
  const within = Math.sin(angle) * (1 + Math.cos(angle) ** 2 / 2);
  expect(split([4, 4, 4, 5, 5, 5], 3, 1)).toBeCloseTo(1 - within, 12);
});

test("equal halves are not a change, with and without noise", () => {
  expect(split([4, 4, 4, 4, 4, 4], 3)).toBe(1);
  expect(split([3, 4, 5, 5, 4, 3], 3)).toBe(1);
});

test("levels without noise give the smallest possible probability", () => {
  expect(split([4, 4, 4, 5, 5, 5], 3)).toBe(1e-12);
});

test("two values are too few to measure noise", () => {
  expect(split([1, 9], 1)).toBe(1);
});
