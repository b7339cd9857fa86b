import { type SecondRange, viewRows } from "../columns.ts";
import {
  type MeasureHistograms,
  type MeasureSeries,
  type MeasureTable,
  minuteOf,
  SECONDS_PER_MINUTE,
} from "./measure-table.ts";

/** Returns the rows of the series for which `change` returns another, under that one. Not merged: series may be equal. */
export function selectSeries(
  table: MeasureTable,
  change: (series: MeasureSeries, number: number) => MeasureSeries | undefined,
): MeasureTable {
  const changed = table.series.map((each, number) => change(each, number));
  if (changed.every((series, number) => series === table.series[number])) return table;
  const all = changed.filter((series) => series !== undefined);
  if (all.length === changed.length) return { ...table, series: all };
  const kept = changed.flatMap((series, number) => (series === undefined ? [] : [number]));
  const numbers = new Map(kept.map((number, index) => [number, index]));
  const renumber = <Columns extends { readonly series: Uint32Array }>(columns: Columns) => ({
    ...columns,
    series: columns.series.map((number) => numbers.get(number) as number),
  });
  const isKept = (number: number) => numbers.has(number);
  return {
    series: all,
    sums: renumber(keepRows(table.sums, table.sums.series.map(flagOf(isKept)))),
    gauges: renumber(keepRows(table.gauges, table.gauges.series.map(flagOf(isKept)))),
    histograms: renumber(keepHistograms(table.histograms, isKept)),
    unstored: table.unstored,
  };
}

/** Returns the series for which `isKept` is true; the values of the others count as not stored. */
export function keptMeasures(
  table: MeasureTable,
  isKept: (series: MeasureSeries, number: number) => boolean,
): MeasureTable {
  const kept = table.series.map((series, number) => isKept(series, number));
  if (!kept.includes(false)) return table;
  const { sums, unstored } = table;
  let lost = 0;
  for (const [row, number] of sums.series.entries()) {
    if (kept[number] !== true) lost += sums.count[row] as number;
  }
  const selected = selectSeries(table, (series, number) =>
    kept[number] === true ? series : undefined,
  );
  return { ...selected, unstored: { ...unstored, series: unstored.series + lost } };
}

/**
 * Returns the rows of seconds in a range. Of minutes with values outside of it, too, neither distribution nor extremes are known;
 * nor of any minute that the range cuts, if the table `isPart` of what was measured. Series may be left without rows.
 */
export function measuresWithin(
  table: MeasureTable,
  { from, until }: SecondRange,
  isPart = false,
): MeasureTable {
  const isWithin = (second: number) => second >= from && second < until;
  const { sums, gauges, histograms } = table;
  if (!isPart && sums.second.every(isWithin)) return table;
  const [inside, outside] = [new Set<number>(), new Set<number>()];
  for (const [row, second] of sums.second.entries()) {
    (isWithin(second) ? inside : outside).add(keyOf(sums.series[row] as number, minuteOf(second)));
  }
  const key = (row: number) =>
    keyOf(histograms.series[row] as number, histograms.minute[row] as number);
  const isCut = (minute: number) => minute < from || minute + SECONDS_PER_MINUTE > until;
  const cut = histograms.minute.map((minute, row) =>
    Number(outside.has(key(row)) || (isPart && isCut(minute))),
  );
  const kept = keepHistograms(
    {
      ...histograms,
      min: histograms.min.map((value, row) => (cut[row] === 1 ? -Infinity : value)),
      max: histograms.max.map((value, row) => (cut[row] === 1 ? Infinity : value)),
    },
    (_, row) => inside.has(key(row)),
    (row) => cut[row] === 0,
  );
  return {
    ...table,
    sums: keepRows(sums, sums.second.map(flagOf(isWithin))),
    gauges: keepRows(gauges, gauges.second.map(flagOf(isWithin))),
    histograms: kept,
  };
}

function keyOf(series: number, minute: number): number {
  return series * 2 ** 32 + minute;
}

function flagOf(isKept: (value: number) => boolean): (value: number) => number {
  return (value) => Number(isKept(value));
}

/** `kept`: 1 for the rows to keep. */
export function keepRows<Columns extends object>(columns: Columns, kept: Uint32Array): Columns {
  const entries = Object.entries(columns as Record<string, Uint32Array | Float64Array>);
  const rows = entries.map(([name, column]) => [name, column.filter((_, row) => kept[row] === 1)]);
  return Object.fromEntries(rows) as Columns;
}

/** Rows for which `hasEntries` is false lose their entries. */
function keepHistograms(
  histograms: MeasureHistograms,
  isKept: (series: number, row: number) => boolean,
  hasEntries: (row: number) => boolean = () => true,
): MeasureHistograms {
  const { bucketsFrom, bucket, bucketCount, ...columns } = histograms;
  const kept = columns.series.map((series, row) => Number(isKept(series, row)));
  const entries = new Uint8Array(bucket.length);
  const from = [0];
  for (const [row, flag] of kept.entries()) {
    if (flag === 0) continue;
    const [first, end] = [bucketsFrom[row] as number, bucketsFrom[row + 1] as number];
    const size = hasEntries(row) ? end - first : 0;
    entries.fill(1, first, first + size);
    from.push((from.at(-1) as number) + size);
  }
  return {
    ...keepRows(columns, kept),
    bucketsFrom: Uint32Array.from(from),
    bucket: bucket.filter((_, entry) => entries[entry] === 1),
    bucketCount: bucketCount.filter((_, entry) => entries[entry] === 1),
  };
}

/** Views of the rows `[from, until)`, with adjusted bucket positions. */
export function viewHistograms(
  { bucketsFrom, bucket, bucketCount, ...columns }: MeasureHistograms,
  from: number,
  until: number,
): MeasureHistograms {
  const [first, end] = [bucketsFrom[from] as number, bucketsFrom[until] as number];
  return {
    ...viewRows(columns, from, until),
    bucketsFrom: bucketsFrom.subarray(from, until + 1).map((entry) => entry - first),
    bucket: bucket.subarray(first, end),
    bucketCount: bucketCount.subarray(first, end),
  };
}
