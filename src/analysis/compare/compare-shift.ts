/**
 * By how much response times have changed as a whole: the difference of the averages of their
 * logarithms. Every request moves it, where a percentile moves with those near it alone, and a few
 * very long ones move it little; so it finds changes that are too small for any other figure.
 */

import type { CompareBlocks } from "./compare-blocks.ts";
import type { Limits, Pair } from "./compare-intervals.ts";
import { type Ratio, ratioOf, standardError } from "./compare-noise.ts";

/** Averages of logarithms and their residuals. */
export type Shift = Pair<Ratio>;

/** A response time further than by this factor from the middle of both load tests counts as just so far. */
const REACH = 10;

/** The shift of one endpoint; `undefined` where one of both has no known distribution in any block. */
export function shiftOf({ base, later }: Pair<CompareBlocks>): Shift | undefined {
  if (!hasTimes(base) || !hasTimes(later)) return undefined;
  // The same limits for both, so that it is the requests that make a difference, never the limits.
  const middle = Math.sqrt(medianOf(base) * medianOf(later));
  const limits = { low: Math.log(middle / REACH), high: Math.log(middle * REACH) };
  return { base: ratioOf(base.logarithms(limits)), later: ratioOf(later.logarithms(limits)) };
}

function hasTimes(blocks: CompareBlocks): boolean {
  const { requests } = blocks.elapsedMicros();
  return blocks.sum.hasDistribution && requests.some((timed) => timed > 0);
}

/** Of the natural logarithm by which response times have changed. */
export function shiftLimits({ base, later }: Shift, deviations: number): Limits {
  const change = later.average - base.average;
  const margin = deviations * standardError(base, later);
  return { low: change - margin, high: change + margin };
}

/**
 * The shifts of several endpoints as one, each by how much it tells: endpoints are compared with
 * themselves, so that more requests of a slow one are no shift. All blocks have to be the same stretches
 * of time for all of them.
 */
export class ShiftSum {
  #weight = 0;
  readonly #sums = { base: new WeightedRatios(), later: new WeightedRatios() };

  add({ base, later }: Shift): void {
    const weight = 1 / (1 / base.requests + 1 / later.requests);
    this.#weight += weight;
    this.#sums.base.add(base, weight);
    this.#sums.later.add(later, weight);
  }

  /** `undefined` where there was nothing to add. */
  total(): Shift | undefined {
    if (this.#weight === 0) return undefined;
    const { base, later } = this.#sums;
    return { base: base.by(this.#weight), later: later.by(this.#weight) };
  }
}

class WeightedRatios {
  #average = 0;
  #requests = 0;
  #residuals = new Float64Array();
  #usedBlocks = 0;

  add({ average, requests, residuals, usedBlocks }: Ratio, weight: number): void {
    this.#average += weight * average;
    this.#requests += requests;
    this.#residuals = residuals.map((each, block) => weight * each + (this.#residuals[block] ?? 0));
    this.#usedBlocks = Math.max(this.#usedBlocks, usedBlocks);
  }

  by(weight: number): Ratio {
    return {
      average: this.#average / weight,
      requests: this.#requests,
      residuals: this.#residuals.map((each) => each / weight),
      usedBlocks: this.#usedBlocks,
    };
  }
}

function medianOf({ sum }: CompareBlocks): number {
  // Of the requests that have a time: `quantiles` ranks the others last.
  const timedShare = Number(sum.timedRequests) / Number(sum.requests);
  const [median = 1] = sum.quantiles([0.5 * timedShare]);
  return Math.max(1, median);
}
