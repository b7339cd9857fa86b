/**
 * Confidence intervals of changes. Requests are not independent, so noise is measured between blocks of time.
 * docs/internals/statistics.md has the reasoning and sources.
 */

import type { CompareBlocks } from "./compare-blocks.ts";
import {
  type Noise,
  noiseOf,
  type Pair,
  type Ratio,
  ratioOf,
  type SlowNoise,
  standardError,
} from "./compare-noise.ts";
import { type Shift, shiftNoise } from "./compare-shift.ts";
import { studentT } from "../student-t.ts";

/** Two load tests whose noise is known. */
export interface TestedPair extends Pair<CompareBlocks> {
  /** In the shift. */
  readonly slow: SlowNoise | undefined;
}

/** By an error probability, which is two-sided. */
export type LimitsAt = (errorProbability: number) => Limits;

/** Infinite if the data set no limit. */
export interface Limits {
  readonly low: number;
  readonly high: number;
}

/** `undefined` if the requests lie in too few blocks. */
export function testedPair(
  { base, later }: Pair<CompareBlocks>,
  shift: Shift | undefined,
): TestedPair | undefined {
  const used = Math.min(base.usedBlocks, later.usedBlocks);
  if (used < USED_BLOCKS_MIN) return undefined;
  return { base, later, slow: shift && shiftNoise(shift).slow };
}

const USED_BLOCKS_MIN = 5;

/** Half the width of an interval in standard errors; infinite if the noise is unknown. */
function deviationsOf(errorProbability: number, { degreesOfFreedom }: Noise): number {
  return degreesOfFreedom === 0 ? Infinity : studentT(errorProbability, degreesOfFreedom);
}

/** For the natural logarithm of the ratio of response times. */
export function shiftLimits(shift: Shift): LimitsAt {
  const noise = shiftNoise(shift);
  const change = shift.later.average - shift.base.average;
  return (errorProbability) => {
    const deviations = deviationsOf(errorProbability, noise);
    const margin = deviations === Infinity ? Infinity : deviations * standardError(noise);
    return { low: change - margin, high: change + margin };
  };
}

/** For the natural logarithm of the ratio of averages, at least 1 microsecond. */
export function averageLimits({ base, later, slow }: TestedPair): LimitsAt {
  const pair = { base: averageOf(base), later: averageOf(later) };
  return (errorProbability) => ratioLimits(pair, { least: 1, slow, errorProbability });
}

function averageOf(side: CompareBlocks): Ratio {
  return side.once("average", () => ratioOf(side.elapsedMicros()));
}

interface RatioTest {
  /** A smaller average is taken for this. */
  readonly least: number;
  readonly slow?: SlowNoise | undefined;
  /** Two-sided. */
  readonly errorProbability: number;
}

/** Fieller's limits for the natural logarithm of the ratio of averages. */
export function ratioLimits(
  { base, later }: Pair<Ratio>,
  { least, slow, errorProbability }: RatioTest,
): Limits {
  const [from, to] = [Math.max(least, base.average), Math.max(least, later.average)];
  // If one is far larger, the common part is not visible.
  const variances = noiseOf(base, later, { slow, units: { base: 1 / from, later: 1 / to } });
  const deviations = deviationsOf(errorProbability, variances);
  if (deviations === Infinity) return UNKNOWN;
  const square = deviations ** 2;
  // A ratio r is possible if (to - r from)^2 is at most `square` variances.
  const atFrom = from ** 2 - square * variances.base;
  const atTo = to ** 2 - square * variances.later;
  const middle = from * to - square * variances.both;
  const root = Math.sqrt(Math.max(0, middle ** 2 - atFrom * atTo));
  // An average that may be 0 sets no limit on its side.
  return {
    low: atTo > 0 && middle + root > 0 ? Math.log(atTo / (middle + root)) : -Infinity,
    high: atFrom > 0 && middle + root > 0 ? Math.log((middle + root) / atFrom) : Infinity,
  };
}

const UNKNOWN: Limits = { low: -Infinity, high: Infinity };

/** Half the width of a bucket, at most. */
const BUCKET_PRECISION = 1 / 1000;

/** For the natural logarithm of the ratio at quantile `q`. */
export function quantileLimits({ base, later, slow }: TestedPair, q: number): LimitsAt {
  const [{ micros: from, within: fromWithin }, { micros: to, within: toWithin }] = [
    quantileOf(base, q),
    quantileOf(later, q),
  ];
  const pair = { base: fromWithin, later: toWithin };
  const noise = noiseOf(pair.base, pair.later, { slow });
  const requests =
    1 / (1 / pair.base.requests + 1 / pair.later.requests) / designEffect(pair, noise);
  return (errorProbability) => {
    const deviations = deviationsOf(errorProbability, noise);
    if (deviations === Infinity) return UNKNOWN;
    const share = shareLimits({ share: q, requests, deviations });
    const [fromDown, fromUp] = valuesAt(base, share);
    const [toDown, toUp] = valuesAt(later, share);
    // The noise of both is applied to either, as slopes may differ.
    return {
      low: Math.min(toDown - logarithm(from), logarithm(to) - fromUp) - 2 * BUCKET_PRECISION,
      high: Math.max(toUp - logarithm(from), logarithm(to) - fromDown) + 2 * BUCKET_PRECISION,
    };
  };
}

function quantileOf(side: CompareBlocks, q: number) {
  return side.once(`quantile ${q}`, () => {
    const [micros = 0] = side.sum.quantiles([q]);
    return { micros, within: ratioOf(side.requestsWithin(micros)) };
  });
}

/** For the difference of the shares of failed requests. */
export function failureLimits({ base, later }: TestedPair): LimitsAt {
  const pair = { base: failedOf(base), later: failedOf(later) };
  return (errorProbability) => shareDifference(pair, errorProbability);
}

function failedOf(side: CompareBlocks): Ratio {
  return side.once("failed", () => ratioOf(side.failures()));
}

/** For the difference of shares; `errorProbability` is two-sided. */
export function shareDifference(pair: Pair<Ratio>, errorProbability: number): Limits {
  // Failures come in bursts: one that only one side has is what a comparison is for.
  const noise = noiseOf(pair.base, pair.later, { levelBlocks: 1 });
  const effect = designEffect(pair, noise);
  const deviations = deviationsOf(errorProbability, noise);
  if (deviations === Infinity) return UNKNOWN;
  const limits = ({ average, requests }: Ratio) =>
    shareLimits({ share: average, requests: requests / effect, deviations });
  const [from, to] = [limits(pair.base), limits(pair.later)];
  const change = pair.later.average - pair.base.average;
  return {
    low: change - Math.hypot(pair.later.average - to.low, from.high - pair.base.average),
    high: change + Math.hypot(to.high - pair.later.average, pair.base.average - from.low),
  };
}

/** Requests per independent request; at least 1. */
function designEffect({ base, later }: Pair<Ratio>, noise: Noise): number {
  const independent = variance(base) + variance(later);
  if (independent === 0) return 1;
  return Math.max(1, standardError(noise) ** 2 / independent);
}

function variance({ average, requests }: Ratio): number {
  return Math.max(0, average * (1 - average)) / requests;
}

interface Share {
  readonly share: number;
  /** Effective number of independent requests. */
  readonly requests: number;
  readonly deviations: number;
}

/** Wilson's interval, also valid for few or no failures. */
function shareLimits({ share, requests, deviations }: Share): Limits {
  const square = deviations ** 2 / requests;
  const middle = (share + square / 2) / (1 + square);
  const margin = Math.sqrt(share * (1 - share) * square + square ** 2 / 4) / (1 + square);
  return { low: Math.max(0, middle - margin), high: Math.min(1, middle + margin) };
}

/** Logarithms of the response times at two quantiles; infinite beyond the data. */
function valuesAt({ sum }: CompareBlocks, { low, high }: Limits): readonly [number, number] {
  const total = Number(sum.requests);
  // Requests without a response time rank last: there may be no upper limit.
  const [down = 0, up = Infinity] = sum.quantiles([low, high]);
  return [
    low * total < 1 ? -Infinity : logarithm(down),
    high * total > total - 1 ? Infinity : logarithm(up),
  ];
}

/** At least 1 microsecond. */
function logarithm(micros: number): number {
  return Math.log(Math.max(1, micros));
}
