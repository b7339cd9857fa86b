/** Load tests aligned: all begin at second 0. */

import type { Series } from "../api/figures.ts";
import { gridOf, type Values, valuesOn } from "../charts/grid.ts";
import type { Range } from "../load-test/scope/range.ts";

/** One of the aligned load tests. */
export interface AlignedSide {
  readonly series: Series;
  /** Its first second, which becomes second 0. */
  readonly start: number;
  /** The shown part, in UNIX seconds. */
  readonly range: Range;
}

export interface Aligned {
  /** Seconds since the start where any value can change, then the end of the longest. */
  readonly seconds: readonly number[];
  /** Of each load test. */
  readonly values: readonly Values[];
}

/** Windows begin at whole clock steps, so those of one load test begin some seconds before or after another's. */
export function aligned(
  sides: readonly AlignedSide[],
  resolution: number,
  valueOf: (series: Series, point: number, seconds: number) => number | null,
): Aligned {
  const own = sides.map((side) => columnOf(side, resolution, valueOf));
  const seconds = [...new Set(own.flatMap((column) => column.seconds))].toSorted(
    (left, right) => left - right,
  );
  return { seconds, values: own.map((column) => spread(column, seconds)) };
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

/** The value in effect at each of `seconds`; none beyond the end of the column. */
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
