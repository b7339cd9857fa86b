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
  type GaugeColumns,
  type MeasureSums,
} from "../model/measures/measure-table.ts";
import { valueBucketMiddle, valueBucketOf } from "../model/measures/value-buckets.ts";
import {
  type Measurement,
  MEASUREMENTS_MAX,
  OTHER_MEASUREMENTS,
} from "../model/quality/row-quality.ts";
import { canonicalSeries, seriesFault } from "../model/measures/series-limits.ts";
import { OpenHistograms } from "./open-histograms.ts";
import { grown } from "../model/columns.ts";

/** Rows, and entries of histograms, at which `take` is due. */
const ROWS_WANTED = 64 * 1024;

const SECOND_MAX = 2 ** 32 - 1;

/** Values of a window. The sums of a run must stay below 2^53: two windows could reach it, and nothing of the run's measures could be read. */
const COUNT_MAX = 2 ** 32 - 1;
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
    if (!isWellFormed(whole)) {
      return this.#drop(series, "value", count >= 1 ? Math.min(count, COUNT_MAX) : 1);
    }
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
    count <= COUNT_MAX &&
    [sum, min, max, last].every(isStorable) &&
    entries.every(([value, times]) => isStorable(value) && isCount(times))
  );
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

/** Seconds of a series whose row is found at once, a power of two; others get a further row, which merging unites. */
const RECENT_SECONDS = 64;
/** Small, as each post of a live sender has its own rows, usually none. */
const FIRST_ROWS = 64;
const NO_ROW = 0xffffffff;

/** Growing rows by series and second, with the columns that any kind needs. */
class OpenRows {
  length = 0;
  series = new Uint32Array(FIRST_ROWS);
  second = new Uint32Array(FIRST_ROWS);
  count = new Float64Array(FIRST_ROWS);
  sumMillions = new Float64Array(FIRST_ROWS);
  sumNanos = new Float64Array(FIRST_ROWS);
  min = new Float64Array(FIRST_ROWS);
  max = new Float64Array(FIRST_ROWS);
  last = new Float64Array(FIRST_ROWS);
  lastAtMillis = new Uint32Array(FIRST_ROWS);
  /** By series and second, modulo `RECENT_SECONDS`. */
  #recent = new Uint32Array(0);

  /** Returns the row of a second, and adds `count` to its count. */
  rowAt(series: number, second: number, count: number): number {
    const place = series * RECENT_SECONDS + (second & (RECENT_SECONDS - 1));
    const recent = this.#recent[place] ?? NO_ROW;
    const isSame = recent < this.length && this.second[recent] === second;
    const row = isSame ? recent : this.#newRow(series, second, place);
    this.count[row] = (this.count[row] as number) + count;
    return row;
  }

  addExtremes(row: number, min: number, max: number): void {
    if (min < (this.min[row] as number)) this.min[row] = min;
    if (max > (this.max[row] as number)) this.max[row] = max;
  }

  /** The latest value, and of several at the same time the greatest. */
  setLast(row: number, atMillis: number, value: number): void {
    const later = Math.floor(atMillis) - (this.lastAtMillis[row] as number);
    if (later < 0 || (later === 0 && value <= (this.last[row] as number))) return;
    this.lastAtMillis[row] = Math.floor(atMillis);
    this.last[row] = value;
  }

  /** Returns all rows, unsorted, and resets. */
  take(isGauge: (series: number) => boolean): { sums: MeasureSums; gauges: GaugeColumns } {
    const cut = <Column extends Uint32Array | Float64Array>(column: Column) =>
      column.slice(0, this.length) as Column;
    const series = cut(this.series);
    const ofGauges = <Column extends Uint32Array | Float64Array>(column: Column) =>
      cut(column).filter((_, row) => isGauge(series[row] as number)) as Column;
    const sums = {
      series,
      second: cut(this.second),
      count: cut(this.count),
      sumMillions: cut(this.sumMillions),
      sumNanos: cut(this.sumNanos),
    };
    const gauges = {
      series: ofGauges(this.series),
      second: ofGauges(this.second),
      min: ofGauges(this.min),
      max: ofGauges(this.max),
      last: ofGauges(this.last),
      lastAtMillis: ofGauges(this.lastAtMillis),
    };
    this.length = 0;
    this.#recent.fill(NO_ROW);
    return { sums, gauges };
  }

  #newRow(series: number, second: number, place: number): number {
    if (this.length === this.second.length) this.#grow();
    if (place >= this.#recent.length) {
      const recent = new Uint32Array(
        Math.max(2 * this.#recent.length, 64 * RECENT_SECONDS, place + 1),
      );
      recent.fill(NO_ROW).set(this.#recent);
      this.#recent = recent;
    }
    const row = this.length++;
    this.#recent[place] = row;
    this.series[row] = series;
    this.second[row] = second;
    this.count[row] = 0;
    this.sumMillions[row] = 0;
    this.sumNanos[row] = 0;
    this.min[row] = Infinity;
    this.max[row] = -Infinity;
    this.last[row] = -Infinity;
    this.lastAtMillis[row] = 0;
    return row;
  }

  #grow(): void {
    const rows = this.length + 1;
    this.series = grown(this.series, rows);
    this.second = grown(this.second, rows);
    this.count = grown(this.count, rows);
    this.sumMillions = grown(this.sumMillions, rows);
    this.sumNanos = grown(this.sumNanos, rows);
    this.min = grown(this.min, rows);
    this.max = grown(this.max, rows);
    this.last = grown(this.last, rows);
    this.lastAtMillis = grown(this.lastAtMillis, rows);
  }
}
