/** Columns for a chart: every window of the range, those without requests as gaps. */

import type { Series } from "../api/figures.ts";

/** A value for each window, `null` where there is none: a gap in the line. */
export type Values = readonly (number | null)[];

export interface Grid {
  /** UNIX seconds at which windows begin, ascending, and at last where the range ends. */
  readonly seconds: readonly number[];
  /** Seconds that each window really holds: less at the begin and the end of the range. */
  readonly lengths: readonly number[];
  /** Index of the window that begins at a second. */
  readonly indexOf: ReadonlyMap<number, number>;
}

/** The windows of `resolution` seconds that hold `[from, until)`; they begin at multiples of it. */
export function gridOf(from: number, until: number, resolution: number): Grid {
  const first = from - (from % resolution);
  const windows = Math.max(0, Math.ceil((until - first) / resolution));
  const begins = Array.from({ length: windows }, (_, index) => first + index * resolution);
  return {
    seconds: [...begins, until],
    lengths: begins.map((begin) => Math.min(until, begin + resolution) - Math.max(from, begin)),
    indexOf: new Map(begins.map((begin, index) => [Math.max(1, begin), index])),
  };
}

/**
 * What the points of a series are worth, on the grid. A point that covers several windows, because its
 * source tells no more, has its value in all of them. At the end stands the value of the last window
 * again, so that its step is drawn to its end.
 */
export function valuesOn(
  grid: Grid,
  series: Series,
  valueOf: (point: number, seconds: number) => number,
): Values {
  const values: (number | null)[] = grid.seconds.map(() => null);
  for (const [point, second] of series.labels.entries()) {
    const first = grid.indexOf.get(second);
    if (first === undefined) continue;
    const covered = series.windows?.[point];
    const value = valueOf(point, covered ?? (grid.lengths[first] as number));
    for (let index = first; index < grid.lengths.length; index++) {
      if (index > first && (grid.seconds[index] as number) >= second + (covered ?? 0)) break;
      values[index] = value;
    }
  }
  values[grid.lengths.length] = values[grid.lengths.length - 1] ?? null;
  return values;
}
