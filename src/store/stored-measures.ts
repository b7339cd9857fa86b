/** Measures of a batch in the form that all stores use, and how they are read from parts. */

import {
  MEASURE_SERIES_MAX,
  type MeasureSeries,
  type MeasureTable,
  minuteOf,
  NO_MEASURES,
  SECONDS_PER_MINUTE,
} from "../model/measures/measure-table.ts";
import {
  addUnstored,
  compareSeries,
  keyOfSeries,
  mergeMeasures,
} from "../model/measures/merge-measures.ts";
import { keptMeasures, measuresWithin, selectSeries } from "../model/measures/select-measures.ts";
import { canonicalSeries } from "../model/measures/series-limits.ts";
import { addMeasurements, type Measurement } from "../model/quality/row-quality.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { NumbersOfLabels } from "./labels.ts";
import type { MeasureIndex } from "./snapshot.ts";
import type { PointBatch } from "./store.ts";

/** Returns the measures of a batch by endpoint number, merged into a canonical table. */
export function storedMeasures(
  { measures }: PointBatch,
  { numbers }: NumbersOfLabels,
): MeasureTable {
  if (measures === undefined) return NO_MEASURES;
  const numbered = selectSeries(measures, (given) => {
    const series = canonicalSeries(given);
    return series.label === undefined ? series : { ...series, label: numbers[series.label] };
  });
  return mergeMeasures([numbered]);
}

/** Part of a batch that fits into its load test. */
export interface FittingMeasures {
  /** Values of series that do not fit are counted as not stored. */
  readonly measures: MeasureTable;
  /** Those values, by measure; absent if all fit. */
  readonly unstored?: readonly Measurement[];
  /** Keys of its series that are new. */
  readonly added: readonly string[];
}

/** Cuts off new series beyond the limit: `known` ones always fit. */
export function fittingMeasures(
  measures: MeasureTable,
  known: ReadonlySet<string>,
): FittingMeasures {
  const { series, sums } = measures;
  const keys = series.map(keyOfSeries);
  const room = Math.max(0, MEASURE_SERIES_MAX - known.size);
  const added = keys.filter((key) => !known.has(key)).slice(0, room);
  const isNew = new Set(added);
  const fits = keys.map((key) => known.has(key) || isNew.has(key));
  if (!fits.includes(false)) return { measures, added };
  const lost = sums.series.keys().filter((row) => fits[sums.series[row] as number] !== true);
  const unstored = addMeasurements(
    lost.map((row) => ({
      name: series[sums.series[row] as number]?.name ?? "",
      values: sums.count[row] as number,
    })),
  );
  return {
    measures: keptMeasures(measures, (_, number) => fits[number] === true),
    unstored,
    added,
  };
}

/** Measures that are stored together, read series by series. */
export interface MeasurePart extends MeasureIndex {
  /** Returns the rows of one series, as the only one of the table. */
  table(number: number): MeasureTable;
}

/** Opens a merged table. */
export function partOfTable(table: MeasureTable): MeasurePart {
  return {
    series: table.series,
    unstored: table.unstored,
    table: (wanted) =>
      selectSeries(table, (series, number) => (number === wanted ? series : undefined)),
  };
}

export function measureIndexOf(parts: readonly MeasureIndex[]): MeasureIndex {
  const byKey = new Map(
    parts.flatMap(({ series }) => series.map((each) => [keyOfSeries(each), each])),
  );
  return {
    series: [...byKey.values()].toSorted(compareSeries),
    unstored: addUnstored(parts.map(({ unstored }) => unstored)),
  };
}

/** Returns the range of all seconds of its minutes: what is known of a minute depends on all of them. */
export function wholeMinutes({ from, until }: SecondRange): SecondRange {
  return { from: minuteOf(from), until: minuteOf(until + SECONDS_PER_MINUTE - 1) };
}

/** Measures of each series within a range, from parts that overlap its full minutes. Throws `sum-too-large`. */
export function* measuresOf(
  parts: readonly MeasurePart[],
  wanted: readonly MeasureSeries[],
  range: SecondRange,
): Generator<MeasureTable> {
  const places = new Map<string, { readonly part: MeasurePart; readonly number: number }[]>();
  for (const part of parts) {
    for (const [number, series] of part.series.entries()) {
      const key = keyOfSeries(series);
      const found = places.get(key);
      if (found === undefined) places.set(key, [{ part, number }]);
      else found.push({ part, number });
    }
  }
  for (const series of wanted) {
    const found = places.get(keyOfSeries(series)) ?? [];
    const tables = found.map(({ part, number }) => ({
      ...part.table(number),
      unstored: NO_MEASURES.unstored,
    }));
    yield mergeMeasures([measuresWithin(mergeMeasures(tables), range)]);
  }
}
