import {
  type MeasureSeries,
  type MeasureSink,
  SECONDS_PER_MINUTE,
} from "../../model/measures/measure-table.ts";
import {
  VALUE_BUCKETS,
  valueBucketMiddle,
  valueBucketOf,
  ZERO_BUCKET,
} from "../../model/measures/value-buckets.ts";

/** Two minutes are open at a time. */
export const OPEN_SECONDS = 2 * SECONDS_PER_MINUTE;
/** Of values that are not negative. */
const BUCKETS = VALUE_BUCKETS - ZERO_BUCKET;
/** Windows of zeros that are held back: 2 MiB. */
const HELD_MAX = 2 ** 17;
const FIRST_PLACES = 256;
/** Cells of a place. */
const COUNT = 0;
const SUM = 1;
const MIN = 2;
const MAX = 3;
const CELLS = 4;
/** Of a row, instead of a value. */
const NO_VALUE = -1;
/** Added to the open second of a row that the load test as a whole does not have. */
export const NOT_WHOLE = 128;
/** Places of small values among `BUCKETS`. */
const SMALL = Uint16Array.from({ length: 4096 }, (_, value) => valueBucketOf(value) - ZERO_BUCKET);
/** Larger values are not summed up here. */
export const SUMMED_MAX = 2 ** 31;

/** What of a series is the same for every label. */
export type ColumnMeasure = Pick<MeasureSeries, "name" | "unit" | "kind">;

/** Where rows are summed up, by row. */
export interface RowPlaces {
  /** Twice the slot of the label, plus 1 in an odd minute. */
  readonly place: Uint16Array;
  /** UNIX second at which the minute begins, the 32 bits with a sign. */
  readonly minute: Int32Array;
  /** Second modulo `OPEN_SECONDS`, with `NOT_WHOLE`. */
  readonly open: Uint8Array;
}

/**
 * Sums up a column of numbers: by label and minute, and for the load test by second and with its distribution. Labels are told by slots. A
 * column of zeros was not recorded: nothing is handed over before another value.
 */
export class MeasuredColumn {
  readonly #measure: ColumnMeasure;
  readonly #sink: MeasureSink;
  readonly #labels: readonly number[];
  #isActive = false;
  /** Of the load test, and of labels by slot, once active. */
  #whole = 0;
  readonly #series: number[] = [];
  /** By slot, an even and an odd minute. */
  #minute = new Int32Array(0);
  #cells = new Float64Array(0);
  readonly #wholeMinute = new Int32Array(2);
  readonly #wholeMin = new Float64Array(2).fill(Infinity);
  readonly #wholeMax = new Float64Array(2).fill(-Infinity);
  readonly #wholeCount = new Float64Array(OPEN_SECONDS);
  readonly #wholeSum = new Float64Array(OPEN_SECONDS);
  readonly #buckets: Uint32Array;
  /** Zeros: slot, -1 for the load test; second; how many. */
  readonly #held: number[] = [];

  /** `labels`: by slot, grows. */
  constructor(measure: ColumnMeasure, sink: MeasureSink, labels: readonly number[]) {
    this.#measure = measure;
    this.#sink = sink;
    this.#labels = labels;
    this.#buckets = new Uint32Array(measure.kind === "distribution" ? 2 * BUCKETS : 0);
  }

  /** Must be called once for each label, in the order of slots. */
  openSlot(): void {
    if (2 * this.#labels.length > this.#minute.length) this.#grow();
    if (this.#isActive) this.#openSeries(this.#labels.at(-1) as number);
  }

  /** Whether rows `[from, to)` can be added without that a series is opened. */
  isReadyFor(values: Int32Array, [from, to]: readonly [number, number]): boolean {
    if (this.#isActive) return true;
    let isZero = true;
    for (let row = from; row < to; row++) {
      const value = values[row] as number;
      if (value !== 0 && value !== NO_VALUE) isZero = false;
    }
    return isZero;
  }

  /**
   * Adds integers up to `SUMMED_MAX` of rows `[from, to)`, as far as they have one. `isReadyFor` or a single row is required. `times`: how often, if
   * they are 0.
   */
  addRows(
    values: Int32Array,
    places: RowPlaces,
    [from, to]: readonly [number, number],
    times = 1,
  ): void {
    if (!this.isReadyFor(values, [from, to])) this.#activate();
    // The loop is hot: fields would be loaded again for each value.
    const { place: ofPlace, minute: ofMinute, open: ofOpen } = places;
    const [minutes, cells, buckets] = [this.#minute, this.#cells, this.#buckets];
    const [wholeCount, wholeSum, wholeMinute] = [
      this.#wholeCount,
      this.#wholeSum,
      this.#wholeMinute,
    ];
    const [wholeMin, wholeMax, hasBuckets] = [this.#wholeMin, this.#wholeMax, buckets.length > 0];
    for (let row = from; row < to; row++) {
      const value = values[row] as number;
      if (value === NO_VALUE) continue;
      const place = ofPlace[row] as number;
      const minute = ofMinute[row] as number;
      if (minutes[place] !== minute) {
        this.#close(place);
        minutes[place] = minute;
      }
      const at = place * CELLS;
      cells[at + COUNT] = (cells[at + COUNT] as number) + times;
      cells[at + SUM] = (cells[at + SUM] as number) + value;
      if (value < (cells[at + MIN] as number)) cells[at + MIN] = value;
      if (value > (cells[at + MAX] as number)) cells[at + MAX] = value;
      const open = ofOpen[row] as number;
      if (open >= NOT_WHOLE) continue;
      const odd = place & 1;
      if (wholeMinute[odd] !== minute) {
        this.#closeWhole(odd);
        wholeMinute[odd] = minute;
      }
      wholeCount[open] = (wholeCount[open] as number) + times;
      wholeSum[open] = (wholeSum[open] as number) + value;
      if (value < (wholeMin[odd] as number)) wholeMin[odd] = value;
      if (value > (wholeMax[odd] as number)) wholeMax[odd] = value;
      if (!hasBuckets) continue;
      const bucket =
        value < SMALL.length ? (SMALL[value] as number) : valueBucketOf(value) - ZERO_BUCKET;
      const entry = odd * BUCKETS + bucket;
      buckets[entry] = (buckets[entry] as number) + times;
    }
  }

  /** Adds the sum of any values at a UNIX second; of several, only the sum is known. */
  addAny(slot: number, second: number, sum: number, count: number, isWhole: boolean): void {
    this.#activate();
    const extremes = count === 1 ? { min: sum, max: sum } : {};
    const series = this.#series[slot] as number;
    const window = { count, sum, ...extremes };
    this.#sink.addWindow(series, second * 1000, { ...window, entries: [] });
    if (isWhole) this.#sink.addWindow(this.#whole, second * 1000, window);
  }

  /** Counts a value that is not a number. */
  refuse(second: number): void {
    const series = this.#sink.seriesOf({ ...this.#measure, label: undefined, tags: [] });
    this.#sink.add(series, second * 1000, Number.NaN);
  }

  /** Hands over the open minutes. */
  flush(): void {
    if (!this.#isActive) return;
    for (let place = 0; place < 2 * this.#labels.length; place++) this.#close(place);
    this.#closeWhole(0);
    this.#closeWhole(1);
  }

  #activate(): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.#whole = this.#sink.seriesOf({ ...this.#measure, label: undefined, tags: [] });
    for (const label of this.#labels) this.#openSeries(label);
    for (let at = 0; at < this.#held.length; at += 3) {
      const [slot, second, count] = this.#held.slice(at, at + 3) as [number, number, number];
      const isSpread = slot < 0 && this.#buckets.length > 0;
      const zeros = { count, sum: 0, min: 0, max: 0 };
      this.#handOver(slot, second, zeros, isSpread ? [[0, count]] : []);
    }
    this.#held.length = 0;
  }

  #openSeries(label: number): void {
    this.#series.push(this.#sink.seriesOf({ ...this.#measure, label, tags: [] }));
  }

  #close(place: number): void {
    const cells = this.#cells;
    const at = place * CELLS;
    const count = cells[at + COUNT] as number;
    if (count === 0) return;
    const sum = cells[at + SUM] as number;
    const window = { count, sum, min: cells[at + MIN] as number, max: cells[at + MAX] as number };
    this.#handOver(place >> 1, (this.#minute[place] as number) >>> 0, window, []);
    clearCells(cells, place);
  }

  #closeWhole(odd: number): void {
    const minute = (this.#wholeMinute[odd] as number) >>> 0;
    const [min, max] = [this.#wholeMin[odd] as number, this.#wholeMax[odd] as number];
    if (min > max) return;
    let entries = this.#takeEntries(odd, min, max);
    for (let each = 0; each < SECONDS_PER_MINUTE; each++) {
      const open = odd * SECONDS_PER_MINUTE + each;
      const count = this.#wholeCount[open] as number;
      if (count === 0) continue;
      const window = { count, sum: this.#wholeSum[open] as number, min, max };
      this.#handOver(-1, minute + each, window, entries);
      entries = [];
      this.#wholeCount[open] = 0;
      this.#wholeSum[open] = 0;
    }
    this.#wholeMin[odd] = Infinity;
    this.#wholeMax[odd] = -Infinity;
  }

  #takeEntries(odd: number, min: number, max: number): [value: number, count: number][] {
    const entries: [number, number][] = [];
    if (this.#buckets.length === 0) return entries;
    const last = valueBucketOf(max);
    for (let bucket = valueBucketOf(min); bucket <= last; bucket++) {
      const at = odd * BUCKETS + bucket - ZERO_BUCKET;
      const count = this.#buckets[at] as number;
      if (count > 0) entries.push([valueBucketMiddle(bucket), count]);
      this.#buckets[at] = 0;
    }
    return entries;
  }

  #handOver(
    slot: number,
    second: number,
    window: { count: number; sum: number; min: number; max: number },
    entries: readonly [value: number, count: number][],
  ): void {
    if (!this.#isActive) {
      this.#held.push(slot, second, window.count);
      if (this.#held.length >= 3 * HELD_MAX) this.#activate();
      return;
    }
    const series = slot < 0 ? this.#whole : (this.#series[slot] as number);
    this.#sink.addWindow(series, second * 1000, { ...window, entries });
  }

  #grow(): void {
    const [places, before] = [Math.max(FIRST_PLACES, 2 * this.#minute.length), this.#minute.length];
    const minute = new Int32Array(places);
    const cells = new Float64Array(places * CELLS);
    minute.set(this.#minute);
    cells.set(this.#cells);
    for (let place = before; place < places; place++) clearCells(cells, place);
    [this.#minute, this.#cells] = [minute, cells];
  }
}

function clearCells(cells: Float64Array, place: number): void {
  const at = place * CELLS;
  cells[at + COUNT] = 0;
  cells[at + SUM] = 0;
  cells[at + MIN] = Infinity;
  cells[at + MAX] = -Infinity;
}
