/**
 * Intervals that hold the true change of a figure with a given confidence, though the requests of a
 * load test are not independent: noise is measured between blocks of time, and a block is held
 * against the one at the same place in the other load test, so that a ramp or a step that both have
 * is no noise. docs/compare.md tells the reasoning and the sources.
 */

import type { CompareBlocks } from "./compare-blocks.ts";
import { type Ratio, ratioOf, standardError, variancesOf } from "./compare-noise.ts";
import { studentT } from "../student-t.ts";

/** The same requests, or what stands for them, in two load tests. */
export interface Pair<Value> {
  readonly base: Value;
  readonly later: Value;
}

/** Two load tests, and how many standard errors their interval reaches to either side. */
export interface Judged extends Pair<CompareBlocks> {
  readonly deviations: number;
}

/** Limits of a change; infinite where the data do not limit it. */
export interface Limits {
  readonly low: number;
  readonly high: number;
}

/** `undefined` where the requests lie in fewer blocks than noise can be told from. */
export function judgedPair(
  { base, later }: Pair<CompareBlocks>,
  errorProbability: number,
): Judged | undefined {
  const used = Math.min(base.usedBlocks, later.usedBlocks);
  if (used < USED_BLOCKS_MIN) return undefined;
  return { base, later, deviations: studentT(errorProbability, used - 1) };
}

const USED_BLOCKS_MIN = 5;

/** Of the natural logarithm by which the average response time has changed: Fieller's limits. */
export function averageLimits({ base, later, deviations }: Judged): Limits {
  const [earlier, now] = [ratioOf(base.elapsedMicros()), ratioOf(later.elapsedMicros())];
  const [from, to] = [Math.max(1, earlier.average), Math.max(1, now.average)];
  const variances = variancesOf(earlier, now);
  const square = deviations ** 2;
  // A ratio r is possible where (to - r from)^2 is at most so many variances of what is squared.
  const atFrom = from ** 2 - square * variances.base;
  const atTo = to ** 2 - square * variances.later;
  const middle = from * to - square * variances.both;
  const root = Math.sqrt(Math.max(0, middle ** 2 - atFrom * atTo));
  // An average that is not surely above 0 leaves the ratio without a limit on its side.
  return {
    low: atTo > 0 && middle + root > 0 ? Math.log(atTo / (middle + root)) : -Infinity,
    high: atFrom > 0 && middle + root > 0 ? Math.log((middle + root) / atFrom) : Infinity,
  };
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
  // Failures come in bursts: one that only one of both has is what the comparison is asked for.
  const effect = designEffect(pair, 1);
  const limits = ({ average, requests }: Ratio) =>
    shareLimits({ share: average, requests: requests / effect, deviations });
  const [from, to] = [limits(pair.base), limits(pair.later)];
  const change = pair.later.average - pair.base.average;
  return {
    low: change - Math.hypot(pair.later.average - to.low, from.high - pair.base.average),
    high: change + Math.hypot(to.high - pair.later.average, pair.base.average - from.low),
  };
}

/** How many requests tell as much as one independent request; never taken to be less than 1. */
function designEffect({ base, later }: Pair<Ratio>, levelBlocks?: number): number {
  const independent = variance(base) + variance(later);
  if (independent === 0) return 1;
  return Math.max(1, standardError(base, later, levelBlocks) ** 2 / independent);
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
  // Requests without a response time rank last, so that there may be no limit above.
  const [down = 0, up = Infinity] = sum.quantiles([low, high]);
  return [
    low * total < 1 ? -Infinity : logarithm(down),
    high * total > total - 1 ? Infinity : logarithm(up),
  ];
}

/** Less than a microsecond counts as one. */
function logarithm(micros: number): number {
  return Math.log(Math.max(1, micros));
}
