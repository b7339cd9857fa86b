import type { SeriesColumns, SumColumns } from "../model/data-points.ts";
import { mergeSeries } from "../model/merge-points.ts";

/**
 * Merges the points of one endpoint into windows that begin at multiples of `seconds`. A merged point starts
 * at its first second with data and covers all up to its last one, so that start and end are preserved.
 * Merging into longer windows in steps gives the same result. Throws `sum-too-large`.
 */
export function coarsePoints(columns: SeriesColumns, seconds: number): SeriesColumns {
  if (seconds === 1) return columns;
  const windows = columns.second.map((second) => windowOf(second, seconds));
  const merged = mergeSeries([{ ...columns, second: windows }]);
  const spans = spansOf(columns, windows, merged.second.length);
  return { ...merged, ...spans };
}

/** First second and length of each merged point; rows of the same window are adjacent. */
function spansOf(
  { second, windowSeconds }: SumColumns,
  windows: Uint32Array,
  count: number,
): { readonly second: Uint32Array; readonly windowSeconds: Uint16Array } {
  const spans = { second: new Uint32Array(count), windowSeconds: new Uint16Array(count) };
  let merged = -1;
  let end = 0;
  for (let point = 0; point < second.length; point++) {
    const at = second[point] as number;
    if (point === 0 || windows[point] !== windows[point - 1]) {
      merged += 1;
      spans.second[merged] = at;
      end = 0;
    }
    end = Math.max(end, at + (windowSeconds?.[point] ?? 1));
    spans.windowSeconds[merged] = Math.min(end - (spans.second[merged] as number), 65_535);
  }
  return spans;
}

/** Start of the window of this length that contains a second; the first one starts at 1, as 0 means no timestamp. */
export function windowOf(second: number, seconds: number): number {
  return second === 0 ? 0 : Math.max(1, second - (second % seconds));
}

/** Merges the points of a series by windows of this many seconds, at least 1. Throws what `merge` throws. */
export function inWindows<Columns extends SumColumns>(
  columns: Columns,
  seconds: number,
  merge: (parts: readonly Columns[]) => Columns,
): Columns {
  if (seconds === 1) return columns;
  const second = columns.second.map((each) => windowOf(each, seconds));
  return merge([{ ...columns, second }]);
}
