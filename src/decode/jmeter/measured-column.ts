import { type MeasureSeries, type MeasureSink } from "../../model/measures/measure-table.ts";
import type { WholeSums } from "../measures/whole-sums.ts";

/** Windows of zeros that are held back: 2 MiB. */
const HELD_MAX = 2 ** 17;
/** Cells of a place. */
const COUNT = 0;
const SUM = 1;
const MIN = 2;
const MAX = 3;
export const CELLS = 4;
/** Measures of a place, whose minutes are side by side. */
export const MINUTE_WORDS = 4;
/** Of a row, instead of a value. */
export const NO_VALUE = -1;
/** Added to the open second of a row that the load test as a whole does not have. */
export const NOT_WHOLE = 128;
/** Larger values are not summed up here. */
export const SUMMED_MAX = 2 ** 31;

/** What of a series is the same for every label. */
export type ColumnMeasure = Pick<MeasureSeries, "name" | "unit" | "kind">;

/** Where rows are summed up, by row. */
export interface RowPlaces {
  /** Twice the slot of the label, plus 1 in an odd minute. */
  readonly place: Uint32Array;
  /** UNIX second at which the minute begins. */
  readonly minute: Uint32Array;
  /** Second modulo `OPEN_SECONDS`, with `NOT_WHOLE`. */
  readonly open: Uint32Array;
}

/** Open sums of a column, in memory of the kernel. */
export interface ColumnSums {
  /** By row; negative: none. */
  readonly values: Int32Array;
  /** UNIX second at which the open minute of a place begins, every `MINUTE_WORDS`: those of other measures are between. */
  readonly minute: Uint32Array;
  /** By place: count, sum, minimum, maximum. */
  readonly cells: Float64Array;
  readonly whole: WholeSums;
  /** Sums up rows, zeros `times` times, until one is in a minute that is not open; returns that row, or `to`. */
  sumUp(from: number, to: number, times: number): number;
  /** Whether rows have no value but 0. */
  areZero(from: number, to: number): boolean;
}

/**
 * Sums up a column of numbers: by label and minute, and for the load test by second and with its distribution. Labels are identified by slots. A
 * column of zeros was not recorded: nothing is handed over before another value.
 */
export class MeasuredColumn {
  /** Whether its series are open. */
  isActive = false;
  readonly #measure: ColumnMeasure;
  readonly #sink: MeasureSink;
  readonly #labels: readonly number[];
  /** Of the load test, and of labels by slot, once active. */
  #whole = 0;
  readonly #series: number[] = [];
  readonly #sums: ColumnSums;
  /** Zeros: slot, -1 for the load test; second; how many. */
  readonly #held: number[] = [];

  /** `labels`: by slot, grows. */
  constructor(
    measure: ColumnMeasure,
    sink: MeasureSink,
    labels: readonly number[],
    sums: ColumnSums,
  ) {
    this.#measure = measure;
    this.#sink = sink;
    this.#labels = labels;
    this.#sums = sums;
  }

  /** Must be called once for each label, in the order of slots. */
  openSlot(): void {
    const place = 2 * this.#labels.length - 2;
    for (const each of [place, place + 1]) {
      this.#sums.minute[each * MINUTE_WORDS] = 0;
      clearCells(this.#sums.cells, each);
    }
    if (this.isActive) this.#openSeries(this.#labels.at(-1) as number);
  }

  /** Whether no value of a slot can be stored, as far as it is known. */
  isRefused(slot: number): boolean {
    return !this.isActive || (this.#series[slot] as number) < 0;
  }

  /** Whether rows `[from, to)` can be added without opening a series. */
  isReadyFor([from, to]: readonly [number, number]): boolean {
    return this.isActive || this.#sums.areZero(from, to);
  }

  /**
   * Adds integers up to `SUMMED_MAX` of rows `[from, to)`, as far as they have one. `isReadyFor` or a single row is required. `times`: how often, if
   * they are 0.
   */
  addRows(places: RowPlaces, [from, to]: readonly [number, number], times = 1): void {
    if (!this.isReadyFor([from, to])) this.#activate();
    const sums = this.#sums;
    for (let row = from; ;) {
      row = sums.sumUp(row, to, times);
      if (row === to) return;
      const [place, minute] = [places.place[row] as number, places.minute[row] as number];
      if (sums.minute[place * MINUTE_WORDS] !== minute) {
        this.#close(place);
        sums.minute[place * MINUTE_WORDS] = minute;
      }
      const odd = place & 1;
      if ((places.open[row] as number) < NOT_WHOLE && sums.whole.minute[odd] !== minute) {
        this.#closeWhole(odd);
        sums.whole.minute[odd] = minute;
      }
      if (this.#held.length >= 3 * HELD_MAX) this.#activate();
    }
  }

  /** Adds the sum of any values at a UNIX second; of several, only the sum is known. */
  addAny(
    slot: number,
    second: number,
    { sum, count, isWhole }: { sum: number; count: number; isWhole: boolean },
  ): void {
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
    if (!this.isActive) return;
    for (let place = 0; place < 2 * this.#labels.length; place++) this.#close(place);
    this.#closeWhole(0);
    this.#closeWhole(1);
  }

  #activate(): void {
    if (this.isActive) return;
    this.isActive = true;
    this.#whole = this.#sink.seriesOf({ ...this.#measure, label: undefined, tags: [] });
    for (const label of this.#labels) this.#openSeries(label);
    for (let at = 0; at < this.#held.length; at += 3) {
      const [slot, second, count] = this.#held.slice(at, at + 3) as [number, number, number];
      const isSpread = slot < 0 && this.#measure.kind === "distribution";
      const series = slot < 0 ? this.#whole : (this.#series[slot] as number);
      const zeros = { count, sum: 0, min: 0, max: 0 };
      const entries = isSpread ? ([[0, count]] as const) : [];
      this.#sink.addWindow(series, second * 1000, { ...zeros, entries });
    }
    this.#held.length = 0;
  }

  #openSeries(label: number): void {
    this.#series.push(this.#sink.seriesOf({ ...this.#measure, label, tags: [] }));
  }

  #close(place: number): void {
    const { cells } = this.#sums;
    const at = place * CELLS;
    const count = cells[at + COUNT] as number;
    if (count === 0) return;
    const minute = this.#sums.minute[place * MINUTE_WORDS] as number;
    const slot = place >> 1;
    if (this.isActive) this.#sink.addSums(this.#series[slot] as number, minute, cells, at);
    else this.#held.push(slot, minute, count);
    clearCells(cells, place);
  }

  #closeWhole(odd: number): void {
    this.#sums.whole.close(odd, (minute, summed) => {
      if (this.isActive) return this.#sink.addMinute(this.#whole, minute, summed);
      for (let second = 0; 2 * second < summed.seconds.length; second++) {
        const count = summed.seconds[2 * second] as number;
        if (count > 0) this.#held.push(-1, minute + second, count);
      }
    });
  }
}

function clearCells(cells: Float64Array, place: number): void {
  const at = place * CELLS;
  cells[at + COUNT] = 0;
  cells[at + SUM] = 0;
  cells[at + MIN] = Infinity;
  cells[at + MAX] = -Infinity;
}
