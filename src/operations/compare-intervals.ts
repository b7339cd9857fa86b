/**
 * Intervals that hold the true change of a figure with a given confidence, though the requests of a
 * load test are not independent: noise is measured between blocks of time, and a block is held
 * against the one at the same place in the other load test, so that a ramp or a step that both have
 * is no noise. docs/compare.md tells the reasoning and the sources.
 */

import type { BlockCounts, CompareBlocks } from "./compare-blocks.ts";
import { studentT } from "./student-t.ts";

/** Two load tests, and how many standard errors their interval reaches to either side. */
export interface Judged {
  readonly base: CompareBlocks;
  readonly later: CompareBlocks;
  readonly deviations: number;
}

/** Limits of a change; infinite where the data do not limit it. */
export interface Limits {
  readonly low: number;
  readonly high: number;
}

/** `undefined` where the requests lie in fewer blocks than noise can be told from. */
export function judgedPair(
  { base, later }: Omit<Judged, "deviations">,
  errorProbability: number,
): Judged | undefined {
  const used = Math.min(base.usedBlocks, later.usedBlocks);
  if (used < USED_BLOCKS_MIN) return undefined;
  return { base, later, deviations: studentT(errorProbability, used - 1) };
}

const USED_BLOCKS_MIN = 5;

/** Of the natural logarithm by which the average response time has changed. */
export function averageLimits({ base, later, deviations }: Judged): Limits {
  const [earlier, now] = [ratioOf(base.elapsedMicros()), ratioOf(later.elapsedMicros())];
  const [from, to] = [Math.max(1, earlier.average), Math.max(1, now.average)];
  const margin = deviations * standardError(scaled(earlier, 1 / from), scaled(now, 1 / to));
  const change = Math.log(to / from);
  return { low: change - margin, high: change + margin };
}

/** Response times are known to half the width of a bucket. */
const BUCKET_PRECISION = 1 / 128;

/** Of the natural logarithm by which the response time at quantile `q` has changed. */
export function quantileLimits({ base, later, deviations }: Judged, q: number): Limits {
  const [from = 0] = base.sum.quantiles([q]);
  const [to = 0] = later.sum.quantiles([q]);
  const pair = {
    base: ratioOf(base.requestsWithin(from)),
    later: ratioOf(later.requestsWithin(to)),
  };
  const requests = 1 / (1 / pair.base.requests + 1 / pair.later.requests) / designEffect(pair);
  const share = shareLimits({ share: q, requests, deviations });
  const [fromDown, fromUp] = valuesAt(base, share);
  const [toDown, toUp] = valuesAt(later, share);
  // The noise of both is put into either of them, as their distributions may have other slopes there.
  return {
    low: Math.min(toDown - logarithm(from), logarithm(to) - fromUp) - 2 * BUCKET_PRECISION,
    high: Math.max(toUp - logarithm(from), logarithm(to) - fromDown) + 2 * BUCKET_PRECISION,
  };
}

/** Of the difference between the shares of failed requests. */
export function failureLimits({ base, later, deviations }: Judged): Limits {
  const pair = { base: ratioOf(base.failures()), later: ratioOf(later.failures()) };
  const effect = designEffect(pair);
  const limits = ({ average, requests }: Ratio) =>
    shareLimits({ share: average, requests: requests / effect, deviations });
  const [from, to] = [limits(pair.base), limits(pair.later)];
  const change = pair.later.average - pair.base.average;
  return {
    low: change - Math.hypot(pair.later.average - to.low, from.high - pair.base.average),
    high: change + Math.hypot(to.high - pair.later.average, pair.base.average - from.low),
  };
}

interface Ratio {
  readonly average: number;
  readonly requests: number;
  /** What each block adds to the error of the average; they add up to 0. */
  readonly residuals: Float64Array;
  readonly usedBlocks: number;
}

function ratioOf({ counts, requests }: BlockCounts): Ratio {
  const all = requests.reduce((sum, count) => sum + count, 0);
  const average = counts.reduce((sum, count) => sum + count, 0) / all;
  const residuals = counts.map(
    (count, block) => (count - average * (requests[block] as number)) / all,
  );
  const usedBlocks = requests.reduce((used, own) => used + (own > 0 ? 1 : 0), 0);
  return { average, requests: all, residuals, usedBlocks };
}

function scaled(ratio: Ratio, factor: number): Ratio {
  return { ...ratio, residuals: ratio.residuals.map((each) => each * factor) };
}

/** Of the difference of both averages, block by block. */
function standardError(base: Ratio, later: Ratio): number {
  const squares = later.residuals.reduce(
    (sum, residual, block) => sum + (residual - (base.residuals[block] as number)) ** 2,
    0,
  );
  const used = Math.min(base.usedBlocks, later.usedBlocks);
  return Math.sqrt((squares * used) / (used - 1));
}

/** How many requests tell as much as one independent request; never taken to be less than 1. */
function designEffect({ base, later }: { readonly base: Ratio; readonly later: Ratio }): number {
  const independent = variance(base) + variance(later);
  return independent === 0 ? 1 : Math.max(1, standardError(base, later) ** 2 / independent);
}

function variance({ average, requests }: Ratio): number {
  return Math.max(0, average * (1 - average)) / requests;
}

interface Share {
  readonly share: number;
  /** As if they were independent. */
  readonly requests: number;
  readonly deviations: number;
}

/** Wilson's interval, which is right for rare failures and for none at all, too. */
function shareLimits({ share, requests, deviations }: Share): Limits {
  const square = deviations ** 2 / requests;
  const middle = (share + square / 2) / (1 + square);
  const margin = Math.sqrt(share * (1 - share) * square + square ** 2 / 4) / (1 + square);
  return { low: Math.max(0, middle - margin), high: Math.min(1, middle + margin) };
}

/** Logarithms of the response times at two quantiles; infinite beyond the first and last request. */
function valuesAt({ sum }: CompareBlocks, { low, high }: Limits): readonly [number, number] {
  const total = Number(sum.requests);
  const [down = 0, up = 0] = sum.quantiles([low, high]);
  return [
    low * total < 1 ? -Infinity : logarithm(down),
    high * total > total - 1 ? Infinity : logarithm(up),
  ];
}

/** Less than a microsecond counts as one. */
function logarithm(micros: number): number {
  return Math.log(Math.max(1, micros));
}
