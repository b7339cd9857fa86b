import { expect, test } from "vitest";
import { chanceOfGrowth, fewestDifferences, foundGrowthAt } from "./sign-flips.ts";

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

/** By hand: after n of 4 differences, n / 4 of one half of the 2^n choices may be spent: 0 of 2, 1 of 4, 3 of 8, 8 of 16. */
test.each<readonly [differences: readonly number[], at: number | undefined]>([
  [[1], undefined],
  // The largest of 4 sums.
  [[1, 2], 2],
  [[1, -2], undefined],
  // Of 1 and 2, + + was spent and is 2 of 8 choices: one more, the largest of the others, - + +.
  [[1, -2, 3], undefined],
  [[-1, 2, 3], 3],
  [[-1, -2, 3], undefined],
  // Equal sums are spent together or not at all.
  [[-1, 1, 1], undefined],
  [[0, 0, 0, 0], undefined],
])("a repeated test finds %j after %s", (differences, at) => {
  expect(foundGrowthAt(differences, { errorProbability: 0.5, most: 4 })).toBe(at);
});

test("a repeated test finds no more than the error probability of all sign choices", () => {
  const sizes = [3, 1, 4, 1.5, 9, 2.6, 5, 3.5, 8, 9.7];
  const choices = Array.from({ length: 2 ** sizes.length }, (_, choice) =>
    sizes.map((size, at) => (Math.floor(choice / 2 ** at) % 2 === 0 ? size : -size)),
  );
  const query = { errorProbability: 0.05, most: sizes.length };
  const found = choices.filter((each) => foundGrowthAt(each, query) !== undefined).length;
  expect(found).toBeLessThanOrEqual(0.05 * choices.length);
  expect(found).toBeGreaterThan(0.045 * choices.length);
});

test("20 differences of growth are found before all are available", () => {
  const query = { errorProbability: 0.01, most: 20 };
  // After 8 of 20, 0.4 % of 256 choices is one.
  expect(
    foundGrowthAt(
      Array.from({ length: 20 }, (_, at) => 1 + at / 10),
      query,
    ),
  ).toBe(8);
  expect(
    foundGrowthAt(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? 1 : -1)),
      query,
    ),
  ).toBe(undefined);
});
