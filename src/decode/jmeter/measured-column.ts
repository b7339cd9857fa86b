import { type MeasureSeries, type MeasureSink } from "../../model/measures/measure-table.ts";
import type { WholeSums } from "../measures/whole-sums.ts";

/** Windows of zeros that are held back: 2 MiB. */
const HELD_MAX = 2 ** 17;

/** What of a series is the same for every label. */
export type ColumnMeasure = Pick<MeasureSeries, "name" | "unit" | "kind">;

/**
 * Hands over sums of a column of numbers: by label and minute, and for the load test by second and with its distribution. Labels are
 * identified by slots. A column of zeros was not recorded: nothing is handed over before another value.
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
  readonly #sums: WholeSums;
  /** Zeros: slot, -1 for the load test; second; how many. */
  readonly #held: number[] = [];

  /** `labels`: by slot, grows. `sums`: open ones of the load test. */
  constructor(
    measure: ColumnMeasure,
    sink: MeasureSink,
    labels: readonly number[],
    sums: WholeSums,
  ) {
    this.#measure = measure;
    this.#sink = sink;
    this.#labels = labels;
    this.#sums = sums;
  }

  /** Must be called once for each label, in the order of slots. */
  openSlot(): void {
    if (this.isActive) this.#openSeries(this.#labels.at(-1) as number);
  }

  /** Whether no value of a slot can be stored, as far as it is known. */
  isRefused(slot: number): boolean {
    return !this.isActive || (this.#series[slot] as number) < 0;
  }

  /** Opens the series. */
  activate(): void {
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

  /** Adds count, sum, minimum and maximum, from `at`, of a slot and the minute that begins at a UNIX second. */
  addSums(slot: number, minute: number, cells: Float64Array, at: number): void {
    if (this.isActive) return this.#sink.addSums(this.#series[slot] as number, minute, cells, at);
    this.#held.push(slot, minute, cells[at] as number);
    if (this.#held.length >= 3 * HELD_MAX) this.activate();
  }

  /** Adds the sum of any values at a UNIX second; of several, only the sum is known. */
  addAny(
    slot: number,
    second: number,
    { sum, count, isWhole }: { sum: number; count: number; isWhole: boolean },
  ): void {
    this.activate();
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

  /** Hands over the even or odd minute of the load test. */
  closeWhole(odd: number): void {
    this.#sums.close(odd, (minute, summed) => {
      if (this.isActive) return this.#sink.addMinute(this.#whole, minute, summed);
      for (let second = 0; 2 * second < summed.seconds.length; second++) {
        const count = summed.seconds[2 * second] as number;
        if (count > 0) this.#held.push(-1, minute + second, count);
      }
    });
  }

  #openSeries(label: number): void {
    this.#series.push(this.#sink.seriesOf({ ...this.#measure, label, tags: [] }));
  }
}
