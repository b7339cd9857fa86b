/** Columns for a chart: every window of the range, those without requests as gaps. */

import type { Series } from "../api/figures.ts";

/** A value for each window, `null` where there is none: a gap in the line. */
export type Values = readonly (number | null)[];

/** UNIX seconds, half open. */
interface Seconds {
  readonly from: number;
  readonly until: number;
}

export interface Grid {
  /** UNIX seconds at which windows begin to be seen, ascending, and at last where the range ends. */
  readonly seconds: readonly number[];
  /** Seconds that each window really holds: fewer at the begin and the end of what was asked for. */
  readonly lengths: readonly number[];
  /** Index of the window that series name by this second. */
  readonly indexOf: ReadonlyMap<number, number>;
  /** Whether requests of the last second may still come. @default false */
  readonly isGrowing?: boolean;
}

/**
 * The windows of `resolution` seconds that hold `[from, until)`; they begin at multiples of it. `held` is
 * the range that the series were asked for, where that is another one: where it ends earlier, the last
 * window that it reaches into ends there, and an empty one is all the rest.
 */
export function gridOf(
  from: number,
  until: number,
  resolution: number,
  held: Seconds = { from, until },
): Grid {
  const first = from - (from % resolution);
  const hasRest = held.until > from && held.until < until;
  const end = hasRest ? held.until : until;
  const windows = Math.max(0, Math.ceil((end - first) / resolution));
  const begins = Array.from({ length: windows }, (_, index) => first + index * resolution);
  const lengths = begins.map(
    (begin) => Math.min(held.until, begin + resolution) - Math.max(held.from, begin),
  );
  return {
    seconds: [...begins.map((begin) => Math.max(from, begin)), end, ...(hasRest ? [until] : [])],
    lengths: [...lengths, ...(hasRest ? [0] : [])],
    // Second 0 means that no instant is known: the window that begins there stands at 1.
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
  series: Pick<Series, "labels" | "windows">,
  valueOf: (point: number, seconds: number) => number | null,
): Values {
  const values: (number | null)[] = grid.seconds.map(() => null);
  for (const [point, second] of series.labels.entries()) {
    const covered = series.windows?.[point];
    const first = firstWindow(grid, second, covered);
    if (first === undefined) continue;
    const value = valueOf(point, covered ?? (grid.lengths[first] as number));
    for (let index = first; index < grid.lengths.length; index++) {
      if (index > first && (grid.seconds[index] as number) >= second + (covered ?? 0)) break;
      values[index] = value;
    }
  }
  values[grid.lengths.length] = values[grid.lengths.length - 1] ?? null;
  return values;
}

/** In a shorter window one second with a part of its requests would look like a drop. */
const GROWING_SECONDS_MIN = 10;

/** What each second of a point has of a column; none for the last, short window while it grows. */
export function perSecond(
  grid: Grid,
  series: Pick<Series, "labels" | "windows">,
  column: readonly (number | null)[],
): Values {
  const last = grid.lengths.findLastIndex((seconds) => seconds > 0);
  return valuesOn(grid, series, (point, seconds) => {
    const isLast = grid.indexOf.get(series.labels[point] ?? 0) === last;
    const isOpen = grid.isGrowing === true && isLast && seconds < GROWING_SECONDS_MIN;
    const value = column[point] ?? null;
    return isOpen || value === null ? null : value / seconds;
  });
}

/** Of a long point that begins before the range, its first window in it. */
function firstWindow(grid: Grid, second: number, covered: number | undefined): number | undefined {
  const own = grid.indexOf.get(second);
  const [begin = 0] = grid.seconds;
  const reachesIn = covered !== undefined && second < begin && second + covered > begin;
  return own ?? (reachesIn ? 0 : undefined);
}

/** At each of the seconds what a series of points of `resolution` seconds says there, `null` in its gaps. */
export function valuesAt(
  seconds: readonly number[],
  labels: readonly number[],
  resolution: number,
  column: readonly (number | null)[],
): Values {
  const points = new Map(labels.map((label, point) => [label, point]));
  const values = seconds.map((second) => {
    const point = points.get(Math.max(1, second - (second % resolution)));
    return point === undefined ? null : (column[point] ?? null);
  });
  // The last one is the end of the range, where the step before it ends.
  return [...values.slice(0, -1), values.at(-2) ?? null];
}
