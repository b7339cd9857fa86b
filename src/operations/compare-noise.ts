/**
 * How far a figure of a load test lies from the truth by chance, told by how much its blocks of time
 * differ: batch means, with the blocks of both load tests paired by place.
 */

import type { BlockCounts } from "./compare-blocks.ts";

/** A count by the requests. */
export interface Ratio {
  readonly average: number;
  readonly requests: number;
  /** What each block adds to the error of the average; they add up to 0. */
  readonly residuals: Float64Array;
  readonly usedBlocks: number;
}

export function ratioOf({ counts, requests }: BlockCounts): Ratio {
  const all = requests.reduce((sum, count) => sum + count, 0);
  const average = counts.reduce((sum, count) => sum + count, 0) / all;
  const residuals = counts.map(
    (count, block) => (count - average * (requests[block] as number)) / all,
  );
  const usedBlocks = requests.reduce((used, own) => used + (own > 0 ? 1 : 0), 0);
  return { average, requests: all, residuals, usedBlocks };
}

/** Of both averages; what blocks have in common makes `both` positive. */
export interface Variances {
  readonly base: number;
  readonly later: number;
  readonly both: number;
}

export function variancesOf(base: Ratio, later: Ratio): Variances {
  const used = Math.min(base.usedBlocks, later.usedBlocks);
  // Of what is far larger in one of both, what they have in common could not be seen.
  const [from, to] = [base, later].map(({ average }) => Math.max(1, average)) as [number, number];
  const differences = later.residuals.map(
    (residual, block) => residual / to - (base.residuals[block] as number) / from,
  );
  const factor = (used / (used - 1)) * inflation(differences, used);
  return {
    base: factor * productSum(base.residuals, base.residuals),
    later: factor * productSum(later.residuals, later.residuals),
    both: factor * productSum(base.residuals, later.residuals),
  };
}

/** Of the difference of both averages, block by block. */
export function standardError(base: Ratio, later: Ratio): number {
  const used = Math.min(base.usedBlocks, later.usedBlocks);
  const differences = later.residuals.map(
    (residual, block) => residual - (base.residuals[block] as number),
  );
  const squares = productSum(differences, differences);
  return Math.sqrt(((squares * used) / (used - 1)) * inflation(differences, used));
}

/** Blocks that depend on their neighbours more than so are not long enough for any correction. */
const CORRELATION_MAX = 0.8;

/**
 * By how much the variance is larger because a block is like the one before it, as with a slow drift:
 * that of a first-order autoregression. What is measured in few blocks is too low by the second term.
 */
function inflation(differences: Float64Array, used: number): number {
  const squares = productSum(differences, differences);
  if (squares === 0) return 1;
  const measured = productSum(differences.subarray(1), differences) / squares;
  const correlation = Math.min(CORRELATION_MAX, measured + (1 + 4 * measured) / used);
  return correlation <= 0 ? 1 : (1 + correlation) / (1 - correlation);
}

/** Of as many products as the first column has. */
function productSum(left: Float64Array, right: Float64Array): number {
  return left.reduce((sum, own, index) => sum + own * (right[index] as number), 0);
}
