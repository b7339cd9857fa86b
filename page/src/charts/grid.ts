/** Chart columns: every window of the range; windows without requests are gaps. */

import type { Series } from "../api/figures.ts";

/** One value per window; `null`: a gap in the line. */
export type Values = readonly (number | null)[];

/** UNIX seconds, half-open. */
interface Seconds {
  readonly from: number;
  readonly until: number;
}

export interface Grid {
  /** UNIX seconds where windows start, ascending, then the end of the range. */
  readonly seconds: readonly number[];
  /** Seconds each window really covers: fewer at the ends of the requested range. */
  readonly lengths: readonly number[];
  /** Window index by the second that series name it with. */
  readonly indexOf: ReadonlyMap<number, number>;
  /** Whether requests of the last second may still arrive. @default false */
  readonly isGrowing?: boolean;
}

/**
 * Windows of `resolution` seconds that cover `[from, until)`, aligned to its multiples. `held` is the range
 * the series were requested for, if different. If it ends earlier, the last window it reaches ends there, and
 * one empty window covers the rest.
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
    // Second 0 means that no time is known: its window is placed at 1.
    indexOf: new Map(begins.map((begin, index) => [Math.max(1, begin), index])),
  };
}

/**
 * Values of a series on the grid. A point that covers several windows, because its source is coarser, has its
 * value in each. The last value is repeated at the end, so that its step is drawn in full.
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

/** Seconds of the longest window. There may be too many windows for `Math.max(...)`. */
export function longestOf({ lengths }: Grid): number {
  return lengths.reduce((one, other) => Math.max(one, other), 0);
}

/** In a shorter window, one incomplete second would look like a drop. */
const GROWING_SECONDS_MIN = 10;

/**
 * Per-second rate of a column; none for the last, short window while it grows. A first or last window that is cut has
 * the rate of itself and the one beside it: alone, a second with many requests would look like a peak.
 */
export function perSecond(
  grid: Grid,
  series: Pick<Series, "labels" | "windows">,
  column: readonly (number | null)[],
): Values {
  const { lengths, indexOf } = grid;
  const last = lengths.findLastIndex((seconds) => seconds > 0);
  const longest = longestOf(grid);
  const indexes = series.labels.map((label) => indexOf.get(label) ?? -1);
  const isOpen = (index: number, seconds: number): boolean =>
    grid.isGrowing === true && index === last && seconds < GROWING_SECONDS_MIN;
  const isCut = (index: number, seconds: number): boolean =>
    series.windows === undefined && seconds < longest && (index === 0 || index === last);
  return valuesOn(grid, series, (point, seconds) => {
    const index = indexes[point] as number;
    const value = column[point] ?? null;
    if (value === null || isOpen(index, seconds)) return null;
    if (!isCut(index, seconds)) return value / seconds;
    const step = index === 0 ? 1 : -1;
    const isBeside = indexes[point + step] === index + step;
    const more = isBeside ? (column[point + step] ?? 0) : 0;
    return (value + more) / (seconds + (lengths[index + step] ?? 0));
  });
}

/** The first window in the range of a long point that begins before it. */
function firstWindow(grid: Grid, second: number, covered: number | undefined): number | undefined {
  const own = grid.indexOf.get(second);
  const [begin = 0] = grid.seconds;
  const reachesIn = covered !== undefined && second < begin && second + covered > begin;
  return own ?? (reachesIn ? 0 : undefined);
}

/**
 * The value of a series with points of `resolution` seconds at each of the seconds; `null` in gaps.
 */
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
  // The last is the end of the range, where the step before it ends.
  return [...values.slice(0, -1), values.at(-2) ?? null];
}
