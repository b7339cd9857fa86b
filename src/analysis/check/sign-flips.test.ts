import { expect, test } from "vitest";
import { chanceOfGrowth, fewestDifferences } from "./check-pairs.ts";

/** By hand: how many sign choices have a sum at least as large. */
test.each<readonly [differences: readonly number[], share: number]>([
  [[1], 1 / 2],
  [[1, 2, 3], 1 / 8],
  // Also with 1 negative, and this is one of two: 1 + 2 + 3 and -1 + 2 + 3.
  [[-1, 2, 3], 2 / 8],
  // Equal sums count: any one of the four may be the negative one.
  [[1, 1, 1, -1], 5 / 16],
  [[0, 0], 1],
  [[-1, -2, -3], 1],
  [Array.from({ length: 8 }, (_, at) => at + 1), 1 / 256],
])("noise makes %j grow this much with a probability of %d", (differences, share) => {
  expect(chanceOfGrowth(differences)).toBeCloseTo(share, 12);
});

test("rounding does not make equal sums different", () => {
  expect(chanceOfGrowth([0.1, 0.2, -0.3])).toBe(chanceOfGrowth([1, 2, -3]));
});

test("more than 20 differences are tested by Student's t", () => {
  // Average 0.5, deviation 1: t = 0.5 * sqrt(25); one-sided, 24 degrees of freedom, printed table: 2.4922 at 1 %.
  const wanted = 2.4922;
  const raw = Array.from({ length: 25 }, (_, at) => at - 12);
  const deviation = Math.sqrt(raw.reduce((sum, each) => sum + each ** 2, 0) / 24);
  const shifted = raw.map((each) => each / deviation + wanted / 5);
  expect(chanceOfGrowth(shifted)).toBeCloseTo(0.01, 5);
  expect(chanceOfGrowth(shifted.map((each) => -each))).toBeCloseTo(0.99, 5);
  expect(chanceOfGrowth(raw.map(() => 1))).toBe(0);
});

test.each([
  [0.01, 7],
  [0.005, 8],
  [0.5, 1],
])("a probability of at most %d takes %d differences", (errorProbability, fewest) => {
  expect(fewestDifferences(errorProbability)).toBe(fewest);
});
