import { chanceBeyond } from "../student-t.ts";
import type { LevelSeries, Part, Split } from "./trend-figures.ts";

/** Smaller probabilities are not exact. */
const CHANCE_MIN = 1e-12;

/** Two-sided probability of Student's t, at least `CHANCE_MIN`. */
export function chanceOfT(t: number, degreesOfFreedom: number): number {
  return Math.max(CHANCE_MIN, chanceBeyond(t, degreesOfFreedom));
}

/**
 * Probability that noise is this clear at any place where a part of `length` can be split into halves of at
 * least `shortest`, given the `chance` of one place: the tail of the maximum of a Brownian bridge [5], or the
 * sum over all places if that is less.
 */
export function chanceAnywhere(chance: number, length: number, shortest: number): number {
  const places = Math.max(1, length - 2 * shortest + 1);
  const sum = Math.min(1, chance * places);
  // The approximation does not hold further in the middle.
  if (chance > 0.1) return sum;
  const deviation = normalDeviation(chance / 2);
  const odds = Math.log(((length - shortest) / shortest) ** 2);
  const tail = normalDensity(deviation) * ((deviation - 1 / deviation) * odds + 4 / deviation);
  return Math.min(sum, tail);
}

/** Normal quantile of a one-sided probability of at most 0.05. */
function normalDeviation(chance: number): number {
  let deviation = Math.sqrt(-2 * Math.log(chance));
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const tail = normalTail(deviation);
    deviation += (Math.log(tail / chance) * tail) / normalDensity(deviation);
  }
  return deviation;
}

/** Each doubles the number of exact digits. */
const NEWTON_STEPS = 6;

function normalDensity(deviation: number): number {
  return Math.exp(-(deviation ** 2) / 2) / Math.sqrt(2 * Math.PI);
}

/** Laplace's continued fraction: nine digits from 1.6 on. */
function normalTail(deviation: number): number {
  let rest = 0;
  for (let term = 80; term > 0; term--) rest = term / (deviation + rest);
  return normalDensity(deviation) / (deviation + rest);
}

/** Two-sided t test of both halves with equal variances, as in Hunter, at a place not chosen by the values. */
export function chanceOfSplit(series: LevelSeries, { from, at, until }: Split): number {
  const [left, right] = [
    spreadOf(series, { from, until: at }),
    spreadOf(series, { from: at, until }),
  ];
  const degreesOfFreedom = until - from - 2;
  if (degreesOfFreedom < 1) return 1;
  const measured = (left.squares + right.squares) / degreesOfFreedom;
  const variance = Math.max(measured, series.varianceMin);
  const difference = Math.abs(right.average - left.average);
  if (difference === 0 || series.areAlike?.(left.average, right.average)) return 1;
  const error = Math.sqrt(variance * (1 / left.length + 1 / right.length));
  return chanceOfT(difference / error, degreesOfFreedom);
}

/** Average of a part, and its sum of squared deviations. */
function spreadOf({ values }: LevelSeries, { from, until }: Part) {
  const length = until - from;
  let sum = 0;
  for (let index = from; index < until; index++) sum += values[index] as number;
  const average = sum / length;
  let squares = 0;
  for (let index = from; index < until; index++)
    squares += ((values[index] as number) - average) ** 2;
  return { length, average, squares };
}
