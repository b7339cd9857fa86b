/** Exact tests of differences that are, without a change, as likely upwards as downwards. */

import { chanceBeyond } from "../student-t.ts";

/** With more pairs, Student's t is as good and all signs are too many. */
const EXACT_MAX = 20;

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

function chanceByT(differences: readonly number[]): number {
  const count = differences.length;
  const average = differences.reduce((sum, each) => sum + each, 0) / count;
  const squares = differences.reduce((sum, each) => sum + (each - average) ** 2, 0);
  const standardError = Math.sqrt(squares / (count - 1) / count);
  if (standardError === 0) return average > 0 ? 0 : 1;
  const beyond = chanceBeyond(Math.abs(average) / standardError, count - 1) / 2;
  return average > 0 ? beyond : 1 - beyond;
}
