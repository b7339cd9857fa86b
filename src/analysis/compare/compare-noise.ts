/** Standard errors by batch means. */

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

/** Of both averages. Positive covariance makes `both` positive. */
export interface Noise extends Pair<number> {
  readonly both: number;
  /** That the variances are known with; may be a fraction. 0: too few blocks are independent of each other. */
  readonly degreesOfFreedom: number;
  readonly slow: SlowNoise;
}

/** What lasts longer than a block. The shift shows it best: percentiles of few requests hide it in noise of their own. */
export interface SlowNoise {
  /** Of neighbouring blocks, from 0. */
  readonly correlation: number;
  readonly change: LastingChange | undefined;
}

interface NoiseRequest {
  /** A change of one side that lasts as long is not noise. @default a tenth of most load tests */
  readonly levelBlocks?: number;
  /** Known from another figure of the same requests. */
  readonly slow?: SlowNoise | undefined;
  /** Factors that make both sides comparable. @default 1 */
  readonly units?: Pair<number>;
}

const LEVEL_BLOCKS = 3;

/** Fewer blocks that are independent of each other tell nothing. */
const INDEPENDENT_MIN = 4;

/** One block that has nearly all of the noise. */
const DEGREES_OF_FREEDOM_MIN = 2;

/** Share of the noise that must be left for blocks to be paired: by chance, the blocks of two runs often look alike a little. */
const PAIRED_MAX = 0.5;

/** Noise of the averages between blocks. Blocks are paired by position if that halves it. */
export function noiseOf(base: Ratio, later: Ratio, request: NoiseRequest = {}): Noise {
  const { slow, units = ALIKE } = request;
  const used = Math.min(base.usedBlocks, later.usedBlocks);
  const { left, change } = withoutChange({ base, later }, { ...request, units });
  const levels = change === undefined ? 1 : 2;
  const differences = differencesOf(left);
  const squares = { base: squareSum(left.base), later: squareSum(left.later) };
  const isPaired = squareSum(differences) < PAIRED_MAX * (squares.base + squares.later);
  const series = isPaired ? [differences] : [left.base, left.later];
  const correlation = correlationIn(series, used);
  const lasting = Math.max(correlation, slow?.correlation ?? 0);
  const factor = (used / (used - levels)) * (1 + (2 * correlation) / (1 - lasting));
  const both = isPaired ? productSum(left.base, left.later) : 0;
  const sides = isPaired ? 1 : sidesOf(squares);
  return {
    base: (factor * squares.base) / units.base ** 2,
    later: (factor * squares.later) / units.later ** 2,
    both: (factor * both) / (units.base * units.later),
    degreesOfFreedom: sides * degreesOfFreedomOf(series, { used, levels, lasting }),
    slow: { correlation, change },
  };
}

/** Residuals by block in the units, and the change that is not in them. */
function withoutChange(
  { base, later }: Pair<Ratio>,
  { levelBlocks = LEVEL_BLOCKS, slow, units }: NoiseRequest & { readonly units: Pair<number> },
) {
  const blocks = Math.max(blocksOf(base), blocksOf(later));
  const scaled = {
    base: inUnits(base.residuals.subarray(0, blocks), units.base),
    later: inUnits(later.residuals.subarray(0, blocks), units.later),
  };
  const change = slow?.change ?? lastingChangeOf(differencesOf(scaled), levelBlocks);
  return { change, left: change === undefined ? scaled : withoutLevelsOf(scaled, change) };
}

function inUnits(residuals: Float64Array, unit: number): Float64Array {
  return unit === 1 ? residuals : residuals.map((each) => each * unit);
}

/** Of two variances that may differ [9]: from 1, if one side has all of the noise, to 2. */
function sidesOf({ base, later }: Pair<number>): number {
  const both = base + later;
  return both === 0 ? 1 : both ** 2 / (base ** 2 + later ** 2);
}

/** Those of independent blocks, and fewer if some of them have most of the noise. */
function degreesOfFreedomOf(
  series: readonly Float64Array[],
  known: { readonly used: number; readonly levels: number; readonly lasting: number },
): number {
  const { used, levels, lasting } = known;
  const independent = (used * (1 - lasting)) / (1 + lasting);
  if (independent < INDEPENDENT_MIN) return 0;
  const uneven = Math.max(1, (kurtosisOf(series, used) - 1) / 2);
  return Math.max(DEGREES_OF_FREEDOM_MIN, (independent - levels) / uneven);
}

const ALIKE = { base: 1, later: 1 };

/** Of the difference of the averages. */
export function standardError({ base, later, both }: Noise): number {
  return Math.sqrt(Math.max(0, base + later - 2 * both));
}

/** Up to the last block with requests. */
function blocksOf({ residuals }: Ratio): number {
  let blocks = residuals.length;
  while (blocks > 0 && residuals[blocks - 1] === 0) blocks -= 1;
  return blocks;
}

function differencesOf({ base, later }: Pair<Float64Array>): Float64Array {
  return later.map((residual, block) => residual - (base[block] as number));
}

function withoutLevelsOf({ base, later }: Pair<Float64Array>, change: LastingChange) {
  return { base: withoutLevels(base, change), later: withoutLevels(later, change) };
}

/** A higher autocorrelation cannot be corrected: the blocks are too short. */
const CORRELATION_MAX = 0.95;

/** Residuals are relative: less are rounding errors, alike from block to block. */
const SQUARES_MIN = 1e-24;

/** First autocorrelation of series around 0, corrected for the bias of few blocks. */
function correlationIn(series: readonly Float64Array[], used: number): number {
  const squares = series.reduce((sum, each) => sum + squareSum(each), 0);
  if (squares < SQUARES_MIN) return 0;
  const products = series.reduce((sum, each) => sum + productSum(each.subarray(1), each), 0);
  const measured = products / squares;
  return Math.min(CORRELATION_MAX, Math.max(0, measured + (1 + 4 * measured) / used));
}

/** 3 for normal noise, more if few blocks have most of it: its variance is known as if there were fewer of them [2]. */
function kurtosisOf(series: readonly Float64Array[], used: number): number {
  const squares = series.reduce((sum, each) => sum + squareSum(each), 0);
  if (squares < SQUARES_MIN) return 1;
  const fourths = series.reduce(
    (sum, own) => sum + own.reduce((all, each) => all + each ** 4, 0),
    0,
  );
  return (series.length * used * fourths) / squares ** 2;
}

function squareSum(values: Float64Array): number {
  return productSum(values, values);
}

function productSum(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) {
    sum += (left[index] as number) * (right[index] as number);
  }
  return sum;
}

/** Blocks `[from, until)` lie on one level, all others on another: only variation within each level is noise. */
export interface LastingChange {
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
