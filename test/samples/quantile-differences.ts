/**
 * Compares percentiles with the response times of the requests, or with those that the tool reports.
 */

import { extremesOf, nearestRank, sortedMicros } from "../independent/answers.mjs";
import type { IndependentSample } from "../independent/read-results.mjs";
import type { Reported } from "./reported-percentiles.ts";

/** Required precision of a percentile. */
const PRECISION = 0.01;

interface QuantileContext {
  readonly what: string;
  readonly quantiles: readonly number[];
  /** The percentiles that the tool reports for the same requests. */
  readonly reported: Reported;
}

/**
 * Percentiles must be within the precision, ascending, and within the exact extremes. If the source has no
 * such response time, they must be NaN or what the tool reports: for overlapping windows, one of the values.
 */
export function quantileDifferences(
  { what, quantiles, reported }: QuantileContext,
  got: readonly number[],
  samples: readonly IndependentSample[],
): string[] {
  const sorted = sortedMicros(samples);
  const { min, max } = extremesOf(samples);
  return quantiles.flatMap((q, index) => {
    const exact = sorted.length === 0 ? Number.NaN : nearestRank(sorted, q);
    const value = got[index] ?? Number.NaN;
    if (Number.isNaN(exact)) {
      const stated = reported.filter(({ quantile }) => quantile === q);
      const isRight =
        stated.length === 0
          ? Number.isNaN(value)
          : stated.some(({ micros }) => Math.abs(micros - value) < 0.01);
      return isRight ? [] : [`${what}: quantile ${q} is ${value} micros, but it is not measured`];
    }
    const isOrdered = value >= (got[index - 1] ?? min) - 1e-6;
    const isWithinExtremes = value <= max + 1e-6;
    const isNear = Math.abs(value - exact) <= exact * (q === 0 || q === 1 ? 0 : PRECISION);
    if (isOrdered && isWithinExtremes && isNear) return [];
    return [`${what}: quantile ${q} is ${value} micros, exactly it is ${exact}`];
  });
}
