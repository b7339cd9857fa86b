import { viewRows } from "../../../model/columns.ts";
import { type MeasureTable, minuteOf, NO_MEASURES } from "../../../model/measures/measure-table.ts";
import { viewHistograms } from "../../../model/measures/select-measures.ts";

/**
 * Cuts a table returned by `mergeMeasures` into tables of at most `rowsMax` rows and a minute, in order; the first one has what was
 * not stored. A minute is never cut, as it has one histogram. The columns are views.
 */
export function* cutMeasures(table: MeasureTable, rowsMax: number): Generator<MeasureTable> {
  const rows = table.sums.series.length;
  let { unstored } = table;
  let from = 0;
  do {
    let until = Math.min(rows, from + rowsMax);
    while (until < rows && isSameMinute(table, until)) until += 1;
    yield { ...cut(table, from, until), unstored };
    ({ unstored } = NO_MEASURES);
    from = until;
  } while (from < rows);
}

function isSameMinute({ sums: { series, second } }: MeasureTable, row: number): boolean {
  return (
    series[row] === series[row - 1] &&
    minuteOf(second[row] as number) === minuteOf(second[row - 1] as number)
  );
}

function cut(table: MeasureTable, from: number, until: number): MeasureTable {
  const { series, sums, gauges, histograms } = table;
  if (from === 0 && until === sums.series.length) return table;
  const first = sums.series[from] as number;
  const last = sums.series[until - 1] as number;
  const rangeOf = (own: Uint32Array, times: Uint32Array, isMinute: boolean) => {
    const placeOf = (row: number) => lowerBoundOf(own, times, keyAt(table, row, isMinute));
    return [placeOf(from), placeOf(until)] as const;
  };
  const renumbered = <Columns extends { readonly series: Uint32Array }>(columns: Columns) => ({
    ...columns,
    series: columns.series.map((number) => number - first),
  });
  const gaugeRange = rangeOf(gauges.series, gauges.second, false);
  const histogramRange = rangeOf(histograms.series, histograms.minute, true);
  return {
    ...table,
    series: series.slice(first, last + 1),
    sums: renumbered(viewRows(sums, from, until)),
    gauges: renumbered(viewRows(gauges, ...gaugeRange)),
    histograms: renumbered(viewHistograms(histograms, ...histogramRange)),
  };
}

interface Key {
  readonly series: number;
  readonly time: number;
}

/** Series and second of a row of the sums, or its minute; behind all others for the end. */
function keyAt({ sums }: MeasureTable, row: number, isMinute: boolean): Key {
  const second = sums.second[row] ?? 0;
  return { series: sums.series[row] ?? Infinity, time: isMinute ? minuteOf(second) : second };
}

function lowerBoundOf(series: Uint32Array, times: Uint32Array, key: Key): number {
  let [low, high] = [0, series.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const difference = (series[middle] as number) - key.series;
    if (difference < 0 || (difference === 0 && (times[middle] as number) < key.time)) {
      low = middle + 1;
    } else high = middle;
  }
  return low;
}
