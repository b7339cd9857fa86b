import { chanceOfT } from "./chance.ts";
import type { LevelSeries, Part, Split } from "./trend-figures.ts";

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
