/** Exact tests of differences that are, without a change, as likely upwards as downwards. */

import { chanceBeyond } from "../student-t.ts";

/** With more pairs, Student's t is as good and all signs are too many. */
export const EXACT_MAX = 20;

/** Rounding error of sums. */
const TOLERANCE = 1e-9;

/**
 * Probability that noise alone makes the sum of differences this large: the share of all choices of their signs with a sum at
 * least as large; with more than 20, by Student's t.
 */
export function chanceOfGrowth(differences: readonly number[]): number {
  if (differences.length > EXACT_MAX) return chanceByT(differences);
  // Of every choice of signs; the first is that of the differences themselves.
  const sums = differences.reduce(withBothSigns, new Float64Array(1));
  const [own = 0] = sums;
  const least = own - TOLERANCE * differences.reduce((sum, each) => sum + Math.abs(each), 0);
  return sums.filter((sum) => sum >= least).length / sums.length;
}

/** Fewest differences that can be beyond noise. */
export function fewestDifferences(errorProbability: number): number {
  return Math.ceil(Math.log2(1 / errorProbability));
}

export interface RepeatedTest {
  /** Probability that noise alone is ever found to be growth. */
  readonly errorProbability: number;
  /** Most differences that there will be, up to `EXACT_MAX`. */
  readonly most: number;
}

/**
 * Returns after how many differences a test that is repeated after each of them finds growth; `undefined` if it has not. Of
 * all choices of signs, those with the largest sums are spent: after the n-th of N differences, n / N of the error probability.
 */
export function foundGrowthAt(
  differences: readonly number[],
  { errorProbability, most }: RepeatedTest,
): number | undefined {
  const tolerance = TOLERANCE * differences.reduce((sum, each) => sum + Math.abs(each), 0);
  // Of the choices of signs that have not been spent; the first is that of the differences themselves.
  let sums = new Float64Array(1);
  let spent = 0;
  for (const [at, difference] of differences.entries()) {
    const count = at + 1;
    sums = withBothSigns(sums, difference);
    spent *= 2;
    const mayBeSpent = Math.floor((errorProbability * count * 2 ** count) / most) - spent;
    const least = leastOfLargest(sums, mayBeSpent, tolerance);
    if ((sums[0] as number) >= least) return count;
    if (least < Infinity) {
      const kept = sums.filter((sum) => sum < least);
      spent += sums.length - kept.length;
      sums = kept;
    }
  }
  return undefined;
}

/** The sums with the difference added come first. */
function withBothSigns(sums: Float64Array, difference: number): Float64Array<ArrayBuffer> {
  const both = new Float64Array(2 * sums.length);
  for (let at = 0; at < sums.length; at++) {
    const sum = sums[at] as number;
    both[at] = sum + difference;
    both[at + sums.length] = sum - difference;
  }
  return both;
}

/** Lower bound of the `count` largest sums, or of fewer where more are equal; infinite if there are none. */
function leastOfLargest(sums: Float64Array, count: number, tolerance: number): number {
  if (count <= 0) return Infinity;
  const next = count < sums.length ? nthLargest(sums, count + 1) : -Infinity;
  let least = Infinity;
  for (let at = 0; at < sums.length; at++) {
    const sum = sums[at] as number;
    if (sum > next + tolerance && sum < least) least = sum;
  }
  return least - tolerance / 2;
}

/** Quickselect: sorting a million sums would take ten times as long. */
function nthLargest(sums: Float64Array, n: number): number {
  const values = sums.slice();
  const wanted = values.length - n;
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const pivot = values[Math.floor((from + to) / 2)] as number;
    let [low, high] = [from, to];
    while (low <= high) {
      while ((values[low] as number) < pivot) low += 1;
      while ((values[high] as number) > pivot) high -= 1;
      if (low > high) break;
      const swapped = values[low] as number;
      values[low] = values[high] as number;
      values[high] = swapped;
      low += 1;
      high -= 1;
    }
    if (wanted <= high) to = high;
    else if (wanted >= low) from = low;
    else break;
  }
  return values[wanted] as number;
}

function chanceByT(differences: readonly number[]): number {
  const count = differences.length;
  const average = differences.reduce((sum, each) => sum + each, 0) / count;
  const squares = differences.reduce((sum, each) => sum + (each - average) ** 2, 0);
  const standardError = Math.sqrt(squares / (count - 1) / count);
  if (standardError === 0) return average > 0 ? 0 : 1;
  const beyond = chanceBeyond(Math.abs(average) / standardError, count - 1) / 2;
  return average > 0 ? beyond : 1 - beyond;
}
