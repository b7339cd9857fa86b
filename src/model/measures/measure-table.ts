/**
 * Measures: everything that was measured besides requests, such as the CPU of a server, the phases of a request, or a
 * script's own metrics. They travel and merge as data points do: neither order, split nor retry changes an answer.
 */

export const MEASURE_KINDS = ["counter", "gauge", "rate", "distribution"] as const;

/** `counter`: increments; `gauge`: the last counts; `rate`: 1 (true) or 0; `distribution`: with a histogram. */
export type MeasureKind = (typeof MEASURE_KINDS)[number];

/** Sorted by name (UTF-8 bytes), names unique. */
export type MeasureTags = readonly (readonly [name: string, value: string])[];

/** What identifies a measure within a load test. */
export interface MeasureSeries {
  /** Index into the labels that the table travels with; `undefined`: of the entire load test. */
  readonly label: number | undefined;
  readonly name: string;
  /** As in UCUM, such as `ms`, `s`, `By`, `%`, `1`; empty: unknown. */
  readonly unit: string;
  readonly kind: MeasureKind;
  readonly tags: MeasureTags;
}

/** Distinct series of a load test. */
export const MEASURE_SERIES_MAX = 2000;

/** Of names, units, and names and values of tags; in UTF-8 bytes. */
export const MEASURE_TEXT_BYTES_MAX = 200;

export const MEASURE_TAGS_MAX = 16;

/** Why values were not stored: series or tags over the limit, a bad name, value or time. */
export const UNSTORED_REASONS = ["series", "name", "tags", "value", "time"] as const;

export type UnstoredReason = (typeof UNSTORED_REASONS)[number];

export type UnstoredValues = Readonly<Record<UnstoredReason, number>>;

/** One row per series and second with a value; sorted by (series, second), unique. */
export interface MeasureSums {
  /** Index into the series of the table. */
  readonly series: Uint32Array;
  /** UNIX second; 0: unknown. */
  readonly second: Uint32Array;
  /** Values, at least 1; of a rate also the false ones. */
  readonly count: Float64Array;
  /** With `sumNanos` the exact sum: `sumMillions` * 10^6 + `sumNanos` / 10^9. An integer of any sign. */
  readonly sumMillions: Float64Array;
  /** An integer from 0 to 10^15 - 1. */
  readonly sumNanos: Float64Array;
}

/** One row per row of `MeasureSums` that belongs to a gauge, in the same order. */
export interface GaugeColumns {
  readonly series: Uint32Array;
  readonly second: Uint32Array;
  /** -Infinity if it is not recorded. */
  readonly min: Float64Array;
  /** +Infinity if it is not recorded. */
  readonly max: Float64Array;
  /** The latest value; of several at the same time the greatest. */
  readonly last: Float64Array;
  /** Milliseconds from the start of the second to its time: 0 to 999, or to 59,999 if the row covers a minute. */
  readonly lastAtMillis: Uint32Array;
}

/** One row per distribution and minute with a value; sorted by (series, minute), unique. */
export interface MeasureHistograms {
  readonly series: Uint32Array;
  /** UNIX second at which the minute begins. */
  readonly minute: Uint32Array;
  /** -Infinity if it is not recorded. */
  readonly min: Float64Array;
  /** +Infinity if it is not recorded. */
  readonly max: Float64Array;
  /** Row i has the entries `[bucketsFrom[i], bucketsFrom[i + 1])`. */
  readonly bucketsFrom: Uint32Array;
  /** Of `value-buckets.ts`, strictly ascending within a row. */
  readonly bucket: Uint16Array;
  /** At least 1. Their sum is the number of values, or less if no distribution is known of some. */
  readonly bucketCount: Float64Array;
}

export interface MeasureTable {
  /** Unique. */
  readonly series: readonly MeasureSeries[];
  readonly sums: MeasureSums;
  readonly gauges: GaugeColumns;
  readonly histograms: MeasureHistograms;
  readonly unstored: UnstoredValues;
}

export type MeasureColumns = Pick<MeasureTable, "sums" | "gauges" | "histograms">;

/** All columns, widest first: the part of the table, the name and the kind. */
export const MEASURE_COLUMNS = [
  ["sums", "count", Float64Array],
  ["sums", "sumMillions", Float64Array],
  ["sums", "sumNanos", Float64Array],
  ["gauges", "min", Float64Array],
  ["gauges", "max", Float64Array],
  ["gauges", "last", Float64Array],
  ["histograms", "min", Float64Array],
  ["histograms", "max", Float64Array],
  ["histograms", "bucketCount", Float64Array],
  ["sums", "series", Uint32Array],
  ["sums", "second", Uint32Array],
  ["gauges", "series", Uint32Array],
  ["gauges", "second", Uint32Array],
  ["gauges", "lastAtMillis", Uint32Array],
  ["histograms", "series", Uint32Array],
  ["histograms", "minute", Uint32Array],
  ["histograms", "bucketsFrom", Uint32Array],
  ["histograms", "bucket", Uint16Array],
] as const;

type ColumnOf = (typeof MEASURE_COLUMNS)[number];

/** Calls `make` for each of `MEASURE_COLUMNS`, in this order. */
export function measureColumns(
  make: (column: ColumnOf) => Float64Array | Uint32Array | Uint16Array,
): MeasureColumns {
  const made: Record<keyof MeasureColumns, object> = { sums: {}, gauges: {}, histograms: {} };
  for (const column of MEASURE_COLUMNS) {
    const [part, name] = column;
    made[part] = { ...made[part], [name]: make(column) };
  }
  return made as MeasureColumns;
}

/** Of a series whose values are counted as not stored; negative, unlike those of other series. */
export function numberOfReason(reason: UnstoredReason): number {
  return -1 - UNSTORED_REASONS.indexOf(reason);
}

export const NO_MEASURES: MeasureTable = {
  series: [],
  ...measureColumns(([, name, Kind]) => new Kind(name === "bucketsFrom" ? 1 : 0)),
  unstored: { series: 0, name: 0, tags: 0, value: 0, time: 0 },
};

/** Whether it has neither a value nor one that was not stored. */
export function hasNoMeasures({ series, unstored }: MeasureTable): boolean {
  return series.length === 0 && UNSTORED_REASONS.every((reason) => unstored[reason] === 0);
}

/** Returns the labels that its series have, ascending if they are merged. */
export function labelsOfMeasures({ series }: Pick<MeasureTable, "series">): Uint32Array {
  return Uint32Array.from(series.flatMap(({ label }) => label ?? []));
}

export const SECONDS_PER_MINUTE = 60;

export function minuteOf(second: number): number {
  return second - (second % SECONDS_PER_MINUTE);
}

/** Receives values in any order. */
export interface MeasureSink {
  /**
   * Returns the number of a series for `add`, the same for the same series. Tags may be unsorted. Values of a series beyond
   * the limits are counted as not stored. Keep the number where values are many.
   */
  seriesOf(series: MeasureSeries): number;
  /** Adds one value at a time in ms since the epoch, 0 if unknown. NaN, infinities and values beyond 2^53 - 1 are counted as not stored. */
  add(series: number, unixMillis: number, value: number): void;
  addAll(values: MeasuredValues): void;
  /** Adds values that were summed up before. */
  addWindow(series: number, unixMillis: number, window: MeasureWindow): void;
  /** The same for count, sum, minimum and maximum at `[at, at + 4)`, of a UNIX second; their distribution is unknown. */
  addSums(series: number, second: number, cells: Float64Array, at: number): void;
  /** The same for a minute, which begins at a UNIX second. */
  addMinute(series: number, minute: number, summed: SummedMinute): void;
  /** Adds rows of a table, where gauges and their sums are in the same order; labels of its series are those of `seriesOf`. */
  addTable(table: MeasureTable): void;
}

export interface MeasuredValues {
  readonly series: Int32Array;
  readonly unixMillis: Float64Array;
  readonly value: Float64Array;
}

/** Values of a minute, none negative, that were summed up elsewhere. */
export interface SummedMinute {
  /** By second: count, 0 if there is none, and sum. */
  readonly seconds: Float64Array;
  readonly min: number;
  readonly max: number;
  /** Counts of buckets, from that of 0 on. */
  readonly buckets: Uint32Array;
}

/** Values of one series that were summed up elsewhere. */
export interface MeasureWindow {
  /** At least 1. */
  readonly count: number;
  readonly sum: number;
  /** `undefined`: not recorded. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Latest value of a gauge. @default the mean */
  readonly last?: number | undefined;
  /** Values of a distribution, or representatives of them, with how often they occur. @default unknown of several values */
  readonly entries?: readonly (readonly [value: number, count: number])[] | undefined;
}
