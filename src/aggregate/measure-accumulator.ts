import { addDecimal, addValue, asDecimal } from "../model/measures/decimal-sum.ts";
import { keyOfSeries, mergeMeasures } from "../model/measures/merge-measures.ts";
import {
  MEASURE_SERIES_MAX,
  type MeasuredValues,
  type MeasureKind,
  type MeasureSeries,
  type MeasureSink,
  type MeasureTable,
  type MeasureWindow,
  minuteOf,
  NO_MEASURES,
  numberOfReason,
  SECONDS_PER_MINUTE,
  type SummedMinute,
  UNSTORED_REASONS,
  type UnstoredReason,
} from "../model/measures/measure-table.ts";
import { valueBucketMiddle, valueBucketOf } from "../model/measures/value-buckets.ts";
import {
  type Measurement,
  MEASUREMENTS_MAX,
  OTHER_MEASUREMENTS,
} from "../model/quality/row-quality.ts";
import { canonicalSeries, seriesFault } from "../model/measures/series-limits.ts";
import { OpenHistograms } from "./open-histograms.ts";
import { OpenRows } from "./open-rows.ts";

/** Rows, and entries of histograms, at which `take` is due. */
const ROWS_WANTED = 64 * 1024;

const SECOND_MAX = 2 ** 32 - 1;
const MILLIS_PER_SECOND = 1000;

/** Sums up values by series and second in bounded memory, without an object per value. */
export class MeasureAccumulator implements MeasureSink {
  readonly #series: MeasureSeries[] = [];
  readonly #kinds: MeasureKind[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #rows = new OpenRows();
  readonly #histograms = new OpenHistograms();
  #unstored = { ...NO_MEASURES.unstored };
  /** See `unread`. */
  readonly #unread = new Map<string, number>();
  /** Names of measures of series without a place. */
  readonly #unplaced: string[] = [];

  /** Series that have fit, since the beginning. */
  get series(): number {
    return this.#series.length;
  }

  /** Values that are not stored, by measure, since the beginning. */
  get unread(): readonly Measurement[] {
    return Array.from(this.#unread, ([name, values]) => ({ name, values }));
  }

  get wantsTake(): boolean {
    return this.#rows.length >= ROWS_WANTED || this.#histograms.entries >= ROWS_WANTED;
  }

  seriesOf(given: MeasureSeries): number {
    const fault = seriesFault(given);
    if (fault !== undefined) return this.#unplacedNumber(given, fault);
    const series = canonicalSeries(given);
    const key = keyOfSeries(series);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#series.length;
    if (number >= MEASURE_SERIES_MAX) return this.#unplacedNumber(series, "series");
    this.#numbers.set(key, number);
    this.#series.push(series);
    this.#kinds.push(series.kind);
    return number;
  }

  /** A negative number that encodes the reason and the name of the measure. Only a few names are kept. */
  #unplacedNumber({ name }: MeasureSeries, reason: UnstoredReason): number {
    const isNew = !this.#unplaced.includes(name);
    const counted = isNew && this.#unplaced.length >= MEASUREMENTS_MAX ? OTHER_MEASUREMENTS : name;
    if (!this.#unplaced.includes(counted)) this.#unplaced.push(counted);
    const place = 1 + this.#unplaced.indexOf(counted);
    return numberOfReason(reason) - place * UNSTORED_REASONS.length;
  }

  add(series: number, unixMillis: number, value: number): void {
    if (!isStorable(value)) return this.#drop(series, "value", 1);
    const row = this.#rowAt(series, unixMillis, 1);
    if (row === undefined) return;
    const kind = this.#kinds[series];
    addValue(this.#rows, row, kind === "rate" ? Number(value !== 0) : value);
    if (kind === "gauge") {
      const own = asDecimal(value);
      this.#rows.addExtremes(row, own, own);
      this.#rows.setLast(row, unixMillis % MILLIS_PER_SECOND, own);
    } else if (kind === "distribution") {
      this.#histograms.add(series, this.#rows.second[row] as number, value);
    }
  }

  addAll({ series, unixMillis, value }: MeasuredValues): void {
    const [rows, kinds] = [this.#rows, this.#kinds];
    for (let at = 0; at < series.length; at++) {
      const own = series[at] as number;
      const given = value[at] as number;
      const second = Math.floor((unixMillis[at] as number) / MILLIS_PER_SECOND);
      const kind = own >= 0 ? kinds[own] : undefined;
      const isPlain =
        (kind === "distribution" || kind === "counter") &&
        isStorable(given) &&
        second >= 0 &&
        second <= SECOND_MAX;
      if (!isPlain) {
        this.add(own, unixMillis[at] as number, given);
        continue;
      }
      addValue(rows, rows.rowAt(own, second, 1), given);
      if (kind === "distribution") this.#histograms.add(own, second, given);
    }
  }

  addWindow(series: number, unixMillis: number, window: MeasureWindow): void {
    const whole = completed(window);
    const { count, sum, last = sum / count, entries = [] } = whole;
    if (!isWellFormed(whole)) return this.#drop(series, "value", count >= 1 ? count : 1);
    const min = whole.min === undefined ? -Infinity : asDecimal(whole.min);
    const max = whole.max === undefined ? Infinity : asDecimal(whole.max);
    const row = this.#rowAt(series, unixMillis, count);
    if (row === undefined) return;
    const kind = this.#kinds[series];
    addValue(this.#rows, row, sum);
    if (kind === "gauge") {
      this.#rows.addExtremes(row, min, max);
      this.#rows.setLast(row, unixMillis % MILLIS_PER_SECOND, asDecimal(last));
    } else if (kind === "distribution") {
      const second = this.#rows.second[row] as number;
      this.#histograms.addExtremes(series, second, min, max);
      for (const [value, times] of entries) {
        this.#histograms.addTimes(series, second, value, times);
      }
    }
  }

  addSums(series: number, second: number, cells: Float64Array, at: number): void {
    const [count, sum] = [cells[at] as number, cells[at + 1] as number];
    const [min, max] = [cells[at + 2] as number, cells[at + 3] as number];
    const kind = this.#kinds[series];
    const isPlain =
      (kind === "distribution" || kind === "counter") &&
      isStorable(sum) &&
      isStorable(min) &&
      isStorable(max) &&
      second <= SECOND_MAX;
    if (!isPlain) {
      const window = { count, sum, min, max, entries: [] };
      this.addWindow(series, second * MILLIS_PER_SECOND, window);
      return;
    }
    addValue(this.#rows, this.#rows.rowAt(series, second, count), sum);
    if (kind === "counter") return;
    this.#histograms.close(series, minuteOf(second), asDecimal(min), asDecimal(max));
  }

  addMinute(series: number, minute: number, { seconds, min, max, buckets }: SummedMinute): void {
    for (let each = 0; each < SECONDS_PER_MINUTE; each++) {
      const count = seconds[2 * each] as number;
      if (count === 0) continue;
      const row = this.#rowAt(series, (minute + each) * MILLIS_PER_SECOND, count);
      if (row !== undefined) addValue(this.#rows, row, seconds[2 * each + 1] as number);
    }
    if (this.#kinds[series] !== "distribution") return;
    this.#histograms.append(buckets, valueBucketOf(min), valueBucketOf(max));
    this.#histograms.close(series, minute, asDecimal(min), asDecimal(max));
  }

  addTable({ series, sums, gauges, histograms, unstored }: MeasureTable): void {
    const numbers = series.map((each) => this.seriesOf(each));
    let gauge = 0;
    for (const [at, own] of sums.series.entries()) {
      const ofGauge = series[own]?.kind === "gauge" ? gauge++ : undefined;
      const unixMillis = (sums.second[at] as number) * MILLIS_PER_SECOND;
      const row = this.#rowAt(numbers[own] as number, unixMillis, sums.count[at] as number);
      if (row === undefined) continue;
      addDecimal(this.#rows, row, sums.sumMillions[at] as number, sums.sumNanos[at] as number);
      if (ofGauge === undefined) continue;
      this.#rows.addExtremes(row, gauges.min[ofGauge] as number, gauges.max[ofGauge] as number);
      this.#rows.setLast(
        row,
        gauges.lastAtMillis[ofGauge] as number,
        gauges.last[ofGauge] as number,
      );
    }
    for (const [at, own] of histograms.series.entries()) {
      const [number, minute] = [numbers[own] as number, histograms.minute[at] as number];
      if (number < 0) continue;
      const [min, max] = [histograms.min[at] as number, histograms.max[at] as number];
      this.#histograms.addExtremes(number, minute, min, max);
      const until = histograms.bucketsFrom[at + 1] as number;
      for (let entry = histograms.bucketsFrom[at] as number; entry < until; entry++) {
        const value = valueBucketMiddle(histograms.bucket[entry] as number);
        this.#histograms.addTimes(number, minute, value, histograms.bucketCount[entry] as number);
      }
    }
    for (const reason of UNSTORED_REASONS) this.#unstored[reason] += unstored[reason];
  }

  /** Returns what was added since the last call, merged; `undefined` if nothing was. */
  take(): MeasureTable | undefined {
    const { sums, gauges } = this.#rows.take((series) => this.#kinds[series] === "gauge");
    const unstored = this.#unstored;
    const isNothing =
      sums.series.length === 0 && UNSTORED_REASONS.every((reason) => unstored[reason] === 0);
    if (isNothing) return undefined;
    this.#unstored = { ...NO_MEASURES.unstored };
    const histograms = this.#histograms.take();
    return mergeMeasures([{ series: this.#series, sums, gauges, histograms, unstored }]);
  }

  #rowAt(series: number, unixMillis: number, count: number): number | undefined {
    const second = Math.floor(unixMillis / MILLIS_PER_SECOND);
    if (!(second >= 0 && second <= SECOND_MAX)) {
      this.#drop(series, "time", count);
      return undefined;
    }
    if (series < 0) {
      this.#drop(series, "series", count);
      return undefined;
    }
    return this.#rows.rowAt(series, second, count);
  }

  /** A fault of the series counts before one of the value. */
  #drop(series: number, reason: UnstoredReason, count: number): void {
    const unplaced = -1 - series;
    const own = series < 0 ? UNSTORED_REASONS[unplaced % UNSTORED_REASONS.length] : undefined;
    this.#unstored[own ?? reason] += count;
    const place = Math.floor(unplaced / UNSTORED_REASONS.length) - 1;
    const name = series < 0 ? this.#unplaced[place] : this.#series[series]?.name;
    if (name !== undefined) this.#unread.set(name, (this.#unread.get(name) ?? 0) + count);
  }
}

function isStorable(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** Of a single value, everything is known, unless its producer keeps no distribution. */
function completed(window: MeasureWindow): MeasureWindow {
  const { count, sum, entries } = window;
  if (count !== 1 || entries !== undefined) return window;
  return { count: 1, sum, min: sum, max: sum, last: sum, entries: [[sum, 1]] };
}

function isWellFormed({ count, sum, min = 0, max = 0, last = 0, entries = [] }: MeasureWindow) {
  return (
    isCount(count) &&
    [sum, min, max, last].every(isStorable) &&
    entries.every(([value, times]) => isStorable(value) && isCount(times))
  );
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
