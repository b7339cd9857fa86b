import {
  type MeasureHistograms,
  type MeasureTable,
  minuteOf,
  NO_MEASURES,
} from "../../../model/measures/measure-table.ts";

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
  const placeOf = (columns: { readonly series: Uint32Array }, times: Uint32Array, row: number) =>
    lowerBoundOf(columns.series, times, keyAt(table, row, columns === histograms));
  return {
    ...table,
    series: series.slice(first, last + 1),
    sums: viewed(sums, from, until, first),
    gauges: viewed(
      gauges,
      placeOf(gauges, gauges.second, from),
      placeOf(gauges, gauges.second, until),
      first,
    ),
    histograms: viewedHistograms(
      histograms,
      placeOf(histograms, histograms.minute, from),
      placeOf(histograms, histograms.minute, until),
      first,
    ),
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

function viewed<Columns extends { readonly series: Uint32Array }>(
  columns: Columns,
  from: number,
  until: number,
  first: number,
): Columns {
  const entries = Object.entries(columns as Record<string, Uint32Array | Float64Array>);
  const views = entries.map(([name, column]) => [name, column.subarray(from, until)]);
  const series = columns.series.subarray(from, until).map((number) => number - first);
  return { ...Object.fromEntries(views), series };
}

function viewedHistograms(
  { bucketsFrom, bucket, bucketCount, ...columns }: MeasureHistograms,
  from: number,
  until: number,
  first: number,
): MeasureHistograms {
  const [start, end] = [bucketsFrom[from] as number, bucketsFrom[until] as number];
  return {
    ...viewed(columns, from, until, first),
    bucketsFrom: bucketsFrom.subarray(from, until + 1).map((entry) => entry - start),
    bucket: bucket.subarray(start, end),
    bucketCount: bucketCount.subarray(start, end),
  };
}
