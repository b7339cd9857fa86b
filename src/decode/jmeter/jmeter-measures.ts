import {
  MEASURE_SERIES_MAX,
  MEASURE_TEXT_BYTES_MAX,
  type MeasureSink,
  SECONDS_PER_MINUTE,
} from "../../model/measures/measure-table.ts";
import { readWhole } from "../bytes/exact-number.ts";
import type { SampleBatch } from "../../model/sample-batch.ts";
import { OPEN_SECONDS } from "../measures/whole-sums.ts";
import type { JmeterKernel } from "./jmeter-kernel.ts";
import type { JmeterSums } from "./jmeter-sums.ts";
import type { FieldAt } from "./jmeter-fields.ts";
import {
  type ColumnMeasure,
  MeasuredColumn,
  NO_VALUE,
  NOT_WHOLE,
  type ColumnSums,
  type RowPlaces,
  SUMMED_MAX,
} from "./measured-column.ts";

/** In the order of the columns in kernel/rows. */
const MEASURES: readonly ColumnMeasure[] = [
  { name: "latency", unit: "ms", kind: "distribution" },
  { name: "connect", unit: "ms", kind: "distribution" },
  { name: "idle", unit: "ms", kind: "distribution" },
  { name: "sent", unit: "By", kind: "counter" },
];

/** Passed responses with this code are not stored: they are the remaining passed requests. */
export const USUAL_CODE = "200";

/** Whether the code at `[from, to)` is that. */
export function isUsualCode(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== USUAL_CODE.length) return false;
  for (let at = 0; at < USUAL_CODE.length; at++) {
    if (bytes[from + at] !== USUAL_CODE.charCodeAt(at)) return false;
  }
  return true;
}

const FIRST_LABELS = 1024;
const latin1 = new TextDecoder("latin1");
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** What one row has. */
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
  readonly #kernelSums: JmeterSums;
  readonly #places: RowPlaces;
  readonly #sums: readonly ColumnSums[];
  /** Series by label and code; of those that the sink refuses, only the first. */
  readonly #codes = new Map<number, Map<string, number>>();
  readonly #codeSeries: number[] = [];
  readonly #refused: { tooLong?: number; others?: number } = {};
  /** Of `begin`: how many, the last one, and which measures have values. */
  #rows = 0;
  readonly #row = { label: 0, second: 0, requests: 0, isWhole: false };
  readonly #values: readonly Int32Array[];
  readonly #has = MEASURES.map(() => false);

  constructor(sink: MeasureSink, kernel: JmeterKernel) {
    this.#sink = sink;
    this.#kernelSums = kernel.sums;
    this.#places = kernel.sums.places;
    this.#sums = MEASURES.map((_, each) => kernel.sums.of(each));
    this.#values = this.#sums.map(({ values }) => values);
    this.#columns = MEASURES.map(
      (measure, each) =>
        new MeasuredColumn(measure, sink, this.#labels, this.#sums[each] as ColumnSums),
    );
  }

  /** Adds rows `[from, to)` of a batch; `values` by measure, `undefined`: no column. */
  addRows(
    batch: SampleBatch,
    range: readonly [number, number],
    values: readonly (Int32Array | undefined)[],
    isWhole: (label: number) => boolean,
  ): void {
    const used = values.flatMap((each, measure) => {
      const column = this.#columns[measure] as MeasuredColumn;
      return each === undefined ? [] : [column];
    });
    const mask = values.reduce((bits, each, bit) => bits | (Number(each !== undefined) << bit), 0);
    const isReady = used.every((column) => column.isReadyFor(range));
    const [from, to] = range;
    // In the order of the rows, which decides which series are stored.
    for (let row = from; row < to; row++) {
      if (isReady) row = this.#kernelSums.sumRows(row, to, mask);
      if (row === to) return;
      const label = batch.label[row] as number;
      const [slot, isOfWhole] = [this.#slotOf(label), isWhole(label)];
      this.#kernelSums.learn(label, slot, isOfWhole);
      this.#place(row, slot, batch.second[row] as number, isOfWhole);
      for (const column of used) column.addRows(this.#places, [row, row + 1]);
    }
  }

  /** Says that it is known now whether rows of a label are of the load test. */
  settleRole(label: number, isWhole: boolean): void {
    const slot = (this.#slots[label] ?? 0) - 1;
    if (slot >= 0) this.#kernelSums.learn(label, slot, isWhole);
  }

  /** Adds a value as it is written. What is not a number is counted as not stored; empty: not recorded. */
  addWritten(measure: number, row: MeasuredRow, { bytes, from, to }: FieldAt): void {
    if (from === to) return;
    const column = this.#columns[measure] as MeasuredColumn;
    const { label, second, requests, isWhole } = row;
    const value = writtenNumber(bytes, from, to);
    const isSummed = Number.isInteger(value) && value >= 0 && value < SUMMED_MAX;
    if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) column.refuse(second);
    else if (value === 0 || (isSummed && requests === 1)) {
      this.#place(0, this.#slotOf(label), second, isWhole);
      (this.#sums[measure] as ColumnSums).values[0] = value;
      column.addRows(this.#places, [0, 1], requests);
    } else column.addAny(this.#slotOf(label), second, { sum: value, count: requests, isWhole });
  }

  /** Begins a row. `put` adds its values, which are summed up later. */
  begin(label: number, second: number, requests: number, isWhole: boolean): void {
    if (this.#rows === this.#places.place.length) this.#sumUp();
    const at = this.#rows++;
    const row = this.#row;
    row.label = label;
    row.second = second;
    row.requests = requests;
    row.isWhole = isWhole;
    this.#place(at, this.#slotOf(label), second, isWhole);
    for (let measure = 0; measure < MEASURES.length; measure++) {
      (this.#values[measure] as Int32Array)[at] = NO_VALUE;
    }
  }

  /** Adds a value of the row that `begin` began; else as `addWritten`. */
  put(measure: number, bytes: Uint8Array, from: number, to: number): void {
    const row = this.#row;
    const value = readWhole(bytes, from, to) ?? SUMMED_MAX;
    const { isActive } = this.#columns[measure] as MeasuredColumn;
    if (value < SUMMED_MAX && row.requests === 1 && (isActive || value === 0)) {
      (this.#values[measure] as Int32Array)[this.#rows - 1] = value;
      this.#has[measure] = true;
      return;
    }
    this.#sumUp();
    this.addWritten(measure, row, { bytes, from, to });
    this.begin(row.label, row.second, row.requests, row.isWhole);
  }

  /** Counts a value that may not be complete. */
  refuse(measure: number, { second }: MeasuredRow): void {
    (this.#columns[measure] as MeasuredColumn).refuse(second);
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
    this.#sumUp();
    for (const column of this.#columns) column.flush();
  }

  #sumUp(): void {
    for (const [measure, column] of this.#columns.entries()) {
      if (this.#has[measure] === true) column.addRows(this.#places, [0, this.#rows]);
      this.#has[measure] = false;
    }
    this.#rows = 0;
  }

  #place(row: number, slot: number, second: number, isWhole: boolean): void {
    const { place, minute, open } = this.#places;
    const inOpen = second % OPEN_SECONDS;
    const odd = inOpen < SECONDS_PER_MINUTE ? 0 : 1;
    place[row] = 2 * slot + odd;
    minute[row] = second - inOpen + odd * SECONDS_PER_MINUTE;
    open[row] = isWhole ? inOpen : inOpen + NOT_WHOLE;
  }

  #slotOf(label: number): number {
    const known = this.#slots[label] ?? 0;
    return known === 0 ? this.#newSlot(label) : known - 1;
  }

  #newSlot(label: number): number {
    if (label >= this.#slots.length) {
      const larger = new Uint16Array(Math.max(label + 1, 2 * this.#slots.length));
      larger.set(this.#slots);
      this.#slots = larger;
    }
    // With as many labels, no series is left for further ones.
    const slot = this.#refusedSlot ?? Math.min(this.#labels.length, MEASURE_SERIES_MAX);
    this.#slots[label] = slot + 1;
    if (slot === this.#labels.length) this.#openSlot(label, slot);
    return slot;
  }

  #openSlot(label: number, slot: number): void {
    this.#labels.push(label);
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

/** A decimal number without an exponent; NaN for anything else. */
export function writtenNumber(bytes: Uint8Array, from: number, to: number): number {
  const whole = readWhole(bytes, from, to);
  if (whole !== undefined) return whole;
  const text = latin1.decode(bytes.subarray(from, to));
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}
