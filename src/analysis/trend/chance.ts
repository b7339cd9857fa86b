import { chanceBeyond } from "../student-t.ts";
import type { LevelSeries, Part, Split } from "./trend-figures.ts";

/** Chances are told no smaller: below, the sums that they are made of are no longer exact. */
const CHANCE_MIN = 1e-12;

/** The two-sided chance of Student's t, at least `CHANCE_MIN`. */
export function chanceOfT(t: number, degreesOfFreedom: number): number {
  return Math.max(CHANCE_MIN, chanceBeyond(t, degreesOfFreedom));
}

/**
 * The chance that noise is as clear as this at any place where a part of `length` can be cut into
 * halves of `shortest` or more, where `chance` is that of one place: the tail of the largest of a
 * Brownian bridge [5], or all places together if that is less.
 */
export function chanceAnywhere(chance: number, length: number, shortest: number): number {
  const places = Math.max(1, length - 2 * shortest + 1);
  const sum = Math.min(1, chance * places);
  // Further in the middle the approximation does not hold.
  if (chance > 0.1) return sum;
  const deviation = normalDeviation(chance / 2);
  const odds = Math.log(((length - shortest) / shortest) ** 2);
  const tail = normalDensity(deviation) * ((deviation - 1 / deviation) * odds + 4 / deviation);
  return Math.min(sum, tail);
}

/** How far out a normal deviate is beyond which lies this chance (one-sided, at most 0.05). */
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

/** Laplace's continued fraction: nine digits for deviations of 1.6 and more. */
function normalTail(deviation: number): number {
  let rest = 0;
  for (let term = 80; term > 0; term--) rest = term / (deviation + rest);
  return normalDensity(deviation) / (deviation + rest);
}

/**
 * The chance that noise makes both halves differ so much, at a place that was not chosen by looking
 * at the values: the two-sided t test with equal variances, as Hunter has it.
 */
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

/** The average of a part, and the sum of the squares of what differs from it. */
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
