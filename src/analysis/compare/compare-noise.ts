/** Standard errors by batch means, with the blocks of both load tests paired by position. */

import type { BlockCounts } from "./compare-blocks.ts";
import { averageOf, squaresOf } from "../../model/columns.ts";

/** Fewer blocks often look like levels although they are noise. */
const BLOCKS_MIN = 20;

/** Share of the variation that two levels must explain: of 30 blocks with autocorrelation 0.8, 2 % pass by noise. */
const EXPLAINED_MIN = 0.8;

/** Of both load tests. */
export interface Pair<Value> {
  readonly base: Value;
  readonly later: Value;
}

export interface Ratio {
  readonly average: number;
  readonly requests: number;
  /** Contribution of each block to the error of the average; their sum is 0. */
  readonly residuals: Float64Array;
  readonly usedBlocks: number;
}

export function ratioOf({ counts, requests }: BlockCounts): Ratio {
  let [all, counted, usedBlocks] = [0, 0, 0];
  for (let block = 0; block < counts.length; block++) {
    const own = requests[block] as number;
    all += own;
    counted += counts[block] as number;
    if (own > 0) usedBlocks += 1;
  }
  const average = counted / all;
  const residuals = new Float64Array(counts.length);
  for (let block = 0; block < counts.length; block++) {
    residuals[block] = ((counts[block] as number) - average * (requests[block] as number)) / all;
  }
  return { average, requests: all, residuals, usedBlocks };
}

/** Of both averages; positive covariance makes `both` positive. */
export interface Variances extends Pair<number> {
  readonly both: number;
}

export function variancesOf(base: Ratio, later: Ratio): Variances {
  // If one is far larger, the common part is not visible.
  const [from, to] = [base, later].map(({ average }) => Math.max(1, average)) as [number, number];
  const noise = noiseOf(base, later, { base: 1 / from, later: 1 / to, levelBlocks: LEVEL_BLOCKS });
  return {
    base: noise.factor * productSum(noise.base, noise.base),
    later: noise.factor * productSum(noise.later, noise.later),
    both: noise.factor * productSum(noise.base, noise.later),
  };
}

/** A tenth of most load tests. */
const LEVEL_BLOCKS = 3;

/** Standard error of the difference of averages. A change of one side that lasts `levelBlocks` is not noise. */
export function standardError(base: Ratio, later: Ratio, levelBlocks = LEVEL_BLOCKS): number {
  const { differences, factor } = noiseOf(base, later, { base: 1, later: 1, levelBlocks });
  return Math.sqrt(factor * productSum(differences, differences));
}

interface Noise extends Pair<Float64Array> {
  /** By block, in the unit of each side. */
  readonly differences: Float64Array;
  /** Factor from a sum of squares to a variance. */
  readonly factor: number;
}

/** With the scale of each side's residuals. */
interface NoiseRequest extends Pair<number> {
  readonly levelBlocks: number;
}

function noiseOf(base: Ratio, later: Ratio, { levelBlocks, ...units }: NoiseRequest): Noise {
  const used = Math.min(base.usedBlocks, later.usedBlocks);
  const blocks = Math.max(blocksOf(base), blocksOf(later));
  const plain = {
    base: base.residuals.subarray(0, blocks),
    later: later.residuals.subarray(0, blocks),
  };
  const change = lastingChangeOf(differencesOf(plain, units), levelBlocks);
  const left =
    change === undefined
      ? plain
      : { base: withoutLevels(plain.base, change), later: withoutLevels(plain.later, change) };
  const differences = differencesOf(left, units);
  const levels = change === undefined ? 1 : 2;
  return {
    ...left,
    differences,
    factor: (used / (used - levels)) * inflation(differences, used),
  };
}

/** Up to the last block with requests. */
function blocksOf({ residuals }: Ratio): number {
  return residuals.findLastIndex((residual) => residual !== 0) + 1;
}

function differencesOf({ base, later }: Pair<Float64Array>, units: Pair<number>): Float64Array {
  return later.map(
    (residual, block) => residual * units.later - (base[block] as number) * units.base,
  );
}

/** A higher autocorrelation cannot be corrected: the blocks are too short. */
const CORRELATION_MAX = 0.8;

/** Variance inflation of a first-order autoregression. The second term corrects the bias of few blocks. */
function inflation(differences: Float64Array, used: number): number {
  const squares = productSum(differences, differences);
  if (squares === 0) return 1;
  const measured = productSum(differences.subarray(1), differences) / squares;
  const correlation = Math.min(CORRELATION_MAX, measured + (1 + 4 * measured) / used);
  return correlation <= 0 ? 1 : (1 + correlation) / (1 - correlation);
}

function productSum(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) {
    sum += (left[index] as number) * (right[index] as number);
  }
  return sum;
}

/** Blocks `[from, until)` lie on one level, all others on another: only variation within each level is noise. */
interface LastingChange {
  readonly from: number;
  readonly until: number;
}

/** Two levels of at least `levelBlocks` blocks that explain nearly all variation; `undefined` if there are none. */
export function lastingChangeOf(
  values: Float64Array,
  levelBlocks: number,
): LastingChange | undefined {
  const blocks = values.length;
  if (blocks < BLOCKS_MIN) return undefined;
  const average = averageOf(values);
  const sums = sumsOf(values, average);
  const squares = squaresOf(values);
  let most = EXPLAINED_MIN * squares;
  let found: LastingChange | undefined;
  for (let from = 0; from <= blocks - levelBlocks; from++) {
    for (let until = from + levelBlocks; until <= blocks; until++) {
      const inside = until - from;
      if (blocks - inside < levelBlocks) continue;
      const sum = (sums[until] as number) - (sums[from] as number);
      const explained = sum ** 2 * (1 / inside + 1 / (blocks - inside));
      if (explained <= most) continue;
      most = explained;
      found = { from, until };
    }
  }
  return found;
}

/** Subtracts from each value the average of its level. */
export function withoutLevels(values: Float64Array, { from, until }: LastingChange): Float64Array {
  const isInside = (block: number): boolean => block >= from && block < until;
  const inside = averageOf(values.filter((_, block) => isInside(block)));
  const outside = averageOf(values.filter((_, block) => !isInside(block)));
  return values.map((value, block) => value - (isInside(block) ? inside : outside));
}

/** Prefix sums of the deviations from the average. */
function sumsOf(values: Float64Array, average: number): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [index, value] of values.entries()) {
    sums[index + 1] = (sums[index] as number) + value - average;
  }
  return sums;
}
