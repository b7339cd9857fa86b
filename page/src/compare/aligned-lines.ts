/** Two load tests over each other: both begin at second 0. */

import type { Series } from "../api/figures.ts";
import type { Pair } from "../api/comparison.ts";
import { gridOf, type Values, valuesOn } from "../charts/grid.ts";
import type { Range } from "../load-test/scope/range.ts";

/** A load test as it is laid over another one. */
export interface AlignedSide {
  readonly series: Series;
  /** Its first second, which becomes second 0. */
  readonly start: number;
  /** What of it is shown, in UNIX seconds. */
  readonly range: Range;
}

export interface Aligned {
  /** Seconds since the start at which a value of either can change, and at last where the longer ends. */
  readonly seconds: readonly number[];
  readonly values: Pair<Values>;
}

/**
 * Lays both over each other. Windows stand at whole steps of the clock, as everywhere, so that those of
 * one begin some seconds before or after those of the other.
 */
export function aligned(
  { base, later }: Pair<AlignedSide>,
  resolution: number,
  valueOf: (series: Series, point: number, seconds: number) => number | null,
): Aligned {
  const own = {
    base: columnOf(base, resolution, valueOf),
    later: columnOf(later, resolution, valueOf),
  };
  const seconds = [...new Set([...own.base.seconds, ...own.later.seconds])].toSorted(
    (left, right) => left - right,
  );
  return {
    seconds,
    values: { base: spread(own.base, seconds), later: spread(own.later, seconds) },
  };
}

interface Column {
  readonly seconds: readonly number[];
  readonly values: Values;
}

function columnOf(
  { series, start, range }: AlignedSide,
  resolution: number,
  valueOf: (series: Series, point: number, seconds: number) => number | null,
): Column {
  const grid = gridOf(range.from, range.until, resolution);
  const values = valuesOn(grid, series, (point, seconds) => valueOf(series, point, seconds));
  return { seconds: grid.seconds.map((second) => second - start), values };
}

/** The value that holds at each of `seconds`; beyond the end of the column there is none. */
function spread(column: Column, seconds: readonly number[]): Values {
  const end = column.seconds.at(-1) ?? 0;
  const isLonger = end === seconds.at(-1);
  let next = 0;
  let value: number | null = null;
  return seconds.map((second) => {
    for (; next < column.seconds.length && (column.seconds[next] ?? 0) <= second; next++) {
      value = column.values[next] ?? null;
    }
    return second > end || (second === end && !isLonger) ? null : value;
  });
}
