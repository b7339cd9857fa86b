/**
 * Overall shift of response times: the difference of the averages of their logarithms. Every request affects
 * it and long ones only slightly, so it finds changes too small for percentiles.
 */

import type { CompareBlocks } from "./compare-blocks.ts";
import { type Noise, noiseOf, type Pair, type Ratio, ratioOf } from "./compare-noise.ts";

export type Shift = Pair<Ratio>;

/**
 * Response times are clamped to this factor around the geometric mean of their own load test. So if all are k times as
 * long, the shift is k; and unlike a median, this middle does not jump between the modes of a distribution.
 */
const LOG_REACH = Math.log(10);

/** `undefined` if either side has no known distribution in any block. */
export function shiftOf({ base, later }: Pair<CompareBlocks>): Shift | undefined {
  if (!hasTimes(base) || !hasTimes(later)) return undefined;
  return { base: logarithmOf(base), later: logarithmOf(later) };
}

function logarithmOf(blocks: CompareBlocks): Ratio {
  return blocks.once("logarithm", () => {
    const middle = ratioOf(blocks.logarithms({ low: -Infinity, high: Infinity })).average;
    return ratioOf(blocks.logarithms({ low: middle - LOG_REACH, high: middle + LOG_REACH }));
  });
}

function hasTimes(blocks: CompareBlocks): boolean {
  const { requests } = blocks.elapsedMicros();
  return blocks.sum.hasDistribution && requests.some((timed) => timed > 0);
}

export function shiftNoise({ base, later }: Shift): Noise {
  return noiseOf(base, later);
}

/** Shift of endpoints, weighted by information: a changed mix is no shift. All blocks must cover the same times. */
export class ShiftSum {
  #weight = 0;
  readonly #sums = { base: new WeightedRatios(), later: new WeightedRatios() };

  add({ base, later }: Shift): void {
    const weight = 1 / (1 / base.requests + 1 / later.requests);
    this.#weight += weight;
    this.#sums.base.add(base, weight);
    this.#sums.later.add(later, weight);
  }

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
