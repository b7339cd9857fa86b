import { expect, test } from "vitest";
import { noiseOf, type Ratio, standardError } from "./compare-noise.ts";

/** A ratio with these residuals per block. */
function ratio(residuals: readonly number[]): Ratio {
  return {
    average: 1,
    requests: 100,
    residuals: Float64Array.from(residuals),
    usedBlocks: residuals.length,
  };
}

const EXACT = ratio(Array.from({ length: 10 }, () => 0));
const repeated = (values: readonly number[], length: number): number[] =>
  Array.from({ length }, (_, block) => values[block % values.length] as number);

/**
 * By hand, of 10 blocks: the sum of squares times 10/9, times (1 + r)/(1 - r), where r is the correlation of
 * neighbours m corrected by (1 + 4 m)/10, from 0 to 0.95.
 */
test.each([
  { name: "m = -0.9, r = 0", blocks: repeated([1, -1], 10), variance: 100 / 9 },
  { name: "m = 0.1, r = 0.24", blocks: repeated([1, 1, -1, -1], 10), variance: 124 / 0.76 / 9 },
  {
    name: "m = 0.7, r = 0.95",
    blocks: repeated([1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 10),
    variance: (100 / 9) * (1.95 / 0.05),
  },
])("blocks with autocorrelation $name have a standard error", ({ blocks, variance }) => {
  expect(standardError(noiseOf(EXACT, ratio(blocks)))).toBeCloseTo(Math.sqrt(variance), 9);
  expect(standardError(noiseOf(ratio(blocks), EXACT))).toBeCloseTo(Math.sqrt(variance), 9);
  expect(noiseOf(EXACT, ratio(blocks))).toMatchObject({ base: 0, both: 0 });
});

// 21 blocks alternating by 0.1, some of them 10 higher: another level, not noise.
test.each([
  { high: 3, levelBlocks: 3, isLevel: true },
  { high: 3, levelBlocks: 4, isLevel: false },
  { high: 3, isLevel: true },
  { high: 2, isLevel: false },
])("$high blocks of a level of $levelBlocks or more are no noise: $isLevel", (given) => {
  const { high, isLevel } = given;
  const blocks = repeated([0.1, -0.1], 21).map((value, block) =>
    block >= 9 && block < 9 + high ? value + 10 : value,
  );
  const still = ratio(blocks.map(() => 0));
  expect(standardError(noiseOf(still, ratio(blocks), { ...given })) < 1).toBe(isLevel);
});

// r = 0.24, so that 10 blocks are as good as 10 x 0.76 / 1.24 = 6.13 independent ones.
const ALIKE = repeated([1, 1, -1, -1], 10);
// m = -0.1, so that r of both is 0.1; it has nothing in common with the others.
const OTHER = repeated([1, -1, -1, 1], 10);

test("blocks of both runs are paired by position where they look alike, else each run tells its noise by itself", () => {
  const changed = ALIKE.map((value, block) => value + (block % 4 === 0 ? 0.1 : 0));
  const paired = noiseOf(ratio(ALIKE), ratio(changed));
  expect(standardError(paired)).toBeLessThan(0.3);
  expect(paired.both).toBeGreaterThan(0);
  const apart = noiseOf(ratio(ALIKE), ratio(OTHER));
  // By hand: ten squares each, times 10/9, times 1.1 / 0.9.
  expect(standardError(apart)).toBeCloseTo(Math.sqrt((2 * 100 * 1.1) / 9 / 0.9), 9);
});

test("degrees of freedom are those of independent blocks, twice where both runs tell the noise", () => {
  expect(noiseOf(EXACT, ratio(ALIKE)).degreesOfFreedom).toBeCloseTo((10 * 0.76) / 1.24 - 1, 9);
  const both = noiseOf(ratio(ALIKE), ratio(OTHER));
  expect(both.degreesOfFreedom).toBeCloseTo(2 * ((10 * 0.9) / 1.1 - 1), 9);
});

test("if one of 20 blocks has nearly all of the noise, there are 2 degrees of freedom", () => {
  const blocks = repeated([0.1, -0.1], 20).with(7, 5);
  expect(noiseOf(EXACT, ratio(blocks)).degreesOfFreedom).toBe(2);
});

test("if fewer than 4 blocks are independent, the noise is unknown", () => {
  const blocks = repeated([1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 10);
  expect(noiseOf(EXACT, ratio(blocks)).degreesOfFreedom).toBe(0);
});

test("what varies slowly in another figure is taken into account", () => {
  const slow = { correlation: 0.4, change: undefined };
  // m = 0.1, r = 0.24: variance times 1 + 2 x 0.24 / (1 - 0.4), and 10 x 0.6 / 1.4 independent blocks.
  const noise = noiseOf(EXACT, ratio(ALIKE), { slow });
  expect(noise.later).toBeCloseTo((100 / 9) * 1.8, 9);
  expect(noise.degreesOfFreedom).toBeCloseTo(6 / 1.4 - 1, 9);
});
