import { expect, test } from "vitest";
import { type Ratio, standardError, variancesOf } from "./compare-noise.ts";

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
 * neighbours m corrected by (1 + 4 m)/10, from 0 to 0.8.
 */
test.each([
  { name: "m = -0.9, r = 0", blocks: repeated([1, -1], 10), variance: 100 / 9 },
  { name: "m = 0.1, r = 0.24", blocks: repeated([1, 1, -1, -1], 10), variance: 124 / 0.76 / 9 },
  {
    name: "m = 0.7, r = 0.8",
    blocks: repeated([1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 10),
    variance: 100,
  },
])("blocks with autocorrelation $name have a standard error", ({ blocks, variance }) => {
  expect(standardError(EXACT, ratio(blocks))).toBeCloseTo(Math.sqrt(variance), 9);
  expect(standardError(ratio(blocks), EXACT)).toBeCloseTo(Math.sqrt(variance), 9);
  expect(variancesOf(EXACT, ratio(blocks)).later).toBeCloseTo(variance, 9);
});

// 21 blocks alternating by 0.1, some of them 10 higher: another level, not noise.
test.each([
  { high: 3, levelBlocks: 3, isLevel: true },
  { high: 3, levelBlocks: 4, isLevel: false },
  { high: 3, levelBlocks: undefined, isLevel: true },
  { high: 2, levelBlocks: undefined, isLevel: false },
])("$high blocks of a level of $levelBlocks or more are no noise: $isLevel", (given) => {
  const { high, levelBlocks, isLevel } = given;
  const blocks = repeated([0.1, -0.1], 21).map((value, block) =>
    block >= 9 && block < 9 + high ? value + 10 : value,
  );
  const still = ratio(blocks.map(() => 0));
  expect(standardError(still, ratio(blocks), levelBlocks) < 1).toBe(isLevel);
});
