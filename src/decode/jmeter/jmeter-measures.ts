import {
  MEASURE_SERIES_MAX,
  MEASURE_TEXT_BYTES_MAX,
  type MeasureSink,
  type MeasureSeries,
} from "../../model/measures/measure-table.ts";
import { grown } from "../../model/columns.ts";
import { isAt } from "../bytes/byte-table.ts";
import { writtenNumber } from "../bytes/exact-number.ts";
import type { SampleBatch } from "../../model/sample-batch.ts";
import type { JmeterKernel } from "./jmeter-kernel.ts";
import type { JmeterSums } from "./jmeter-sums.ts";
import type { FieldAt } from "./jmeter-fields.ts";
import type { WholeSums } from "../measures/whole-sums.ts";

/** Larger values are not summed up by the kernel. */
const SUMMED_MAX = 2 ** 31;
/** Row of the kernel in which others are summed up: those of the batch were before. */
const SCRATCH = 0;

/** In the order of the columns in kernel/rows. */
const MEASURES: readonly ColumnMeasure[] = [
  { name: "latency", unit: "ms", kind: "distribution" },
  { name: "connect", unit: "ms", kind: "distribution" },
  { name: "idle", unit: "ms", kind: "distribution" },
  { name: "sent", unit: "By", kind: "counter" },
];

/** Passed responses with this code are not stored: they are the remaining passed requests. */
export const USUAL_CODE = "200";
const USUAL_BYTES = Buffer.from(USUAL_CODE);

/** Whether the code at `[from, to)` is that. */
export function isUsualCode(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from === USUAL_BYTES.length && isAt(bytes, from, USUAL_BYTES);
}

const FIRST_LABELS = 1024;

export interface MeasuredRow {
  readonly label: number;
  readonly second: number;
  readonly requests: number;
  /** Whether the load test as a whole has it, too. */
  readonly isWhole: boolean;
}

/** Hands on the measures of JMeter's rows, and the codes of passed ones. */
export class JmeterMeasures {
  readonly #sink: MeasureSink;
  readonly #columns: readonly MeasuredColumn[];
  /** Slot of a label plus 1. */
  #slots = new Uint16Array(FIRST_LABELS);
  /** By slot; the last one stands for all that cannot be stored. */
  readonly #labels: number[] = [];
  /** The slot of all further labels, once the sink refuses their series. */
  #refusedSlot: number | undefined;
  readonly #sums: JmeterSums;
  /** Series by label and code; of those that the sink refuses, only the first. */
  readonly #codes = new Map<number, Map<string, number>>();
  readonly #codeSeries: number[] = [];
  readonly #refused: { tooLong?: number; others?: number } = {};
  /** Measures of the open row with a value in the kernel. */
  #mask = 0;

  constructor(sink: MeasureSink, kernel: JmeterKernel) {
    this.#sink = sink;
    this.#sums = kernel.sums;
    this.#columns = MEASURES.map(
      (measure, each) =>
        new MeasuredColumn(measure, sink, this.#labels, kernel.sums.openWhole(each)),
    );
  }

  /** Adds rows `[from, to)` of a batch; `values` by measure, `undefined`: no column. */
  addRows(
    batch: SampleBatch,
    range: readonly [number, number],
    values: readonly (Int32Array | undefined)[],
    isWhole: (label: number) => boolean,
  ): void {
    const used = values.flatMap((each, measure) => (each === undefined ? [] : [measure]));
    const mask = used.reduce((bits, measure) => bits | (1 << measure), 0);
    const isReady = used.every(
      (measure) => this.#columnOf(measure).isActive || this.#sums.areZero(measure, range),
    );
    const [from, to] = range;
    // In the order of the rows, which decides which series are stored.
    for (let row = from; row < to; row++) {
      if (isReady) {
        row = this.#sums.sumRows(row, to, mask);
        this.#settle();
      }
      if (row === to) return;
      const label = batch.label[row] as number;
      const place = {
        slot: this.#slotOf(label),
        second: batch.second[row] as number,
        isWhole: isWhole(label),
        times: 1,
      };
      this.#sums.learn(label, place.slot, place.isWhole);
      for (const measure of used) {
        if ((values[measure]?.[row] as number) > 0) this.#columnOf(measure).activate();
      }
      this.#sums.sumRow(row, mask, place, this.#settle);
    }
  }

  /** Says that it is known now whether rows of a label are of the load test. */
  settleRole(label: number, isWhole: boolean): void {
    const slot = (this.#slots[label] ?? 0) - 1;
    if (slot >= 0) this.#sums.learn(label, slot, isWhole);
  }

  /** Adds a value of a row as it is written, followed by `endRow`. What is no number from 0 on is counted as not stored; empty: not recorded. */
  addWritten(measure: number, row: MeasuredRow, { bytes, from, to }: FieldAt): void {
    if (from === to) return;
    const column = this.#columnOf(measure);
    const { label, second, requests, isWhole } = row;
    const value = writtenNumber(bytes, from, to);
    const isSummed = Number.isInteger(value) && value < SUMMED_MAX;
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) column.refuse(second);
    else if (value === 0 || (isSummed && requests === 1)) {
      // First, as in `addRows`: the order decides which series are stored.
      this.#slotOf(label);
      if (value > 0) column.activate();
      (this.#sums.values[measure] as Int32Array)[SCRATCH] = value;
      this.#mask |= 1 << measure;
    } else column.addAny(this.#slotOf(label), second, { sum: value, count: requests, isWhole });
  }

  /** Must be called after the values of a row. */
  endRow({ label, second, requests, isWhole }: MeasuredRow): void {
    if (this.#mask === 0) return;
    const place = { slot: this.#slotOf(label), second, isWhole, times: requests };
    this.#sums.sumRow(SCRATCH, this.#mask, place, this.#settle);
    this.#mask = 0;
  }

  /** Counts a value that may not be complete. */
  refuse(measure: number, { second }: MeasuredRow): void {
    this.#columnOf(measure).refuse(second);
  }

  /** Adds passed requests. Returns a number for `repeatCode`, the same for the same label and code. */
  addCode(label: number, second: number, requests: number, code: string): number {
    const number = this.#codeNumber(label, code);
    this.#sink.add(this.#codeSeries[number] as number, second * 1000, requests);
    return number;
  }

  repeatCode(second: number, number: number): void {
    this.#sink.add(this.#codeSeries[number] as number, second * 1000, 1);
  }

  /** Hands over what is summed up. */
  flush(): void {
    // Zeros of a column that may not have been recorded stay open.
    const active = this.#columns.flatMap(({ isActive }, measure) => (isActive ? [measure] : []));
    const mask = active.reduce((bits, measure) => bits | (1 << measure), 0);
    this.#sums.closeAll(this.#labels.length, mask, this.#settle);
    for (const measure of active) {
      this.#columnOf(measure).closeWhole(0);
      this.#columnOf(measure).closeWhole(1);
    }
  }

  /** Hands over what the kernel has closed, and the minute that it waits for. */
  readonly #settle = (): void => {
    const { closed } = this.#sums;
    closed.forEach((place, minute, cells, at) => {
      const measure = place % MEASURES.length;
      this.#columnOf(measure).addSums(Math.floor(place / (2 * MEASURES.length)), minute, cells, at);
    });
    closed.closeBlocked((measure, odd) => this.#columnOf(measure).closeWhole(odd));
  };

  #columnOf(measure: number): MeasuredColumn {
    return this.#columns[measure] as MeasuredColumn;
  }

  #slotOf(label: number): number {
    const known = this.#slots[label] ?? 0;
    return known === 0 ? this.#newSlot(label) : known - 1;
  }

  #newSlot(label: number): number {
    if (label >= this.#slots.length) this.#slots = grown(this.#slots, label + 1);
    // With as many labels, no series is left for further ones.
    const slot = this.#refusedSlot ?? Math.min(this.#labels.length, MEASURE_SERIES_MAX);
    this.#slots[label] = slot + 1;
    if (slot === this.#labels.length) this.#openSlot(label, slot);
    return slot;
  }

  #openSlot(label: number, slot: number): void {
    this.#labels.push(label);
    this.#sums.openSlot(slot);
    for (const column of this.#columns) column.openSlot();
    const isRefused =
      this.#columns.some(({ isActive }) => isActive) &&
      this.#columns.every((column) => column.isRefused(slot));
    if (isRefused) this.#refusedSlot = slot;
  }

  #codeNumber(label: number, code: string): number {
    const ofLabel = this.#codes.get(label) ?? new Map<string, number>();
    const refusal = Buffer.byteLength(code) > MEASURE_TEXT_BYTES_MAX ? "tooLong" : "others";
    const known = ofLabel.get(code) ?? this.#refused[refusal];
    if (known !== undefined) return known;
    const tags = [["code", code]] as const;
    const measure = { name: "responses", unit: "", kind: "counter", tags } as const;
    const series = this.#sink.seriesOf({ label, ...measure });
    const number = this.#codeSeries.push(series) - 1;
    if (series < 0) this.#refused[refusal] = number;
    else this.#codes.set(label, ofLabel.set(code, number));
    return number;
  }
}

/** Windows of zeros that are held back: 2 MiB. */
const HELD_MAX = 2 ** 17;

/** What of a series is the same for every label. */
type ColumnMeasure = Pick<MeasureSeries, "name" | "unit" | "kind">;

/**
 * Hands over sums of a column of numbers: by label and minute, and for the load test by second and with its distribution. Labels are
 * identified by slots. A column of zeros was not recorded: nothing is handed over before another value.
 */
class MeasuredColumn {
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
