import type { Kernel } from "../../kernel/kernel-pool.ts";
import { ClosedSums, WholeSums } from "../measures/whole-sums.ts";

export interface JmeterSumFunctions {
  sumRows(from: number, to: number, mask: number): number;
  sumRow(row: number, known: number, second: number, mask: number, times: number): number;
  areZero(measure: number, from: number, to: number): number;
  openSlot(slot: number): void;
  closeAll(slots: number, mask: number): number;
}

/** As in kernel/rows/sums.ts. */
const IS_WHOLE = 0x8000;

/** Where a row is summed up. */
export interface SumPlace {
  readonly slot: number;
  readonly isWhole: boolean;
  /** UNIX second. */
  readonly second: number;
  readonly times: number;
}

/** Sums of measures in the memory of the kernel: by slot of a label and minute, and for the load test by second. */
export class JmeterSums {
  /** By measure and row; negative: no value. */
  readonly values: readonly Int32Array[];
  readonly #kernel: Kernel<JmeterSumFunctions>;
  readonly closed: ClosedSums;
  /** By label: its slot plus 1, with `IS_WHOLE`. */
  readonly #slots: Uint16Array;
  /** How many labels `#slots` may have. */
  #labels = 0;

  constructor(kernel: Kernel<JmeterSumFunctions>, values: readonly Int32Array[]) {
    this.values = values;
    this.#kernel = kernel;
    this.closed = new ClosedSums(kernel);
    const labels = kernel.number("SLOTTED_LABELS");
    this.#slots = new Uint16Array(kernel.buffer, kernel.number("LABEL_SLOTS"), labels);
  }

  /** Returns the sums of a measure of the load test, empty. */
  openWhole(measure: number): WholeSums {
    const kernel = this.#kernel;
    const ofMeasure = kernel.number("SUMS") + measure * kernel.number("SUM_BYTES");
    return new WholeSums(kernel.buffer, ofMeasure + kernel.number("WHOLE"));
  }

  /** Prepares the sums of a slot. */
  openSlot(slot: number): void {
    this.#kernel.functions.openSlot(slot);
  }

  /** Teaches the slot of a label, if there is room, and whether its rows are of the load test. */
  learn(label: number, slot: number, isWhole: boolean): void {
    if (label >= this.#slots.length) return;
    this.#labels = Math.max(this.#labels, label + 1);
    this.#slots[label] = entryOf(slot, isWhole);
  }

  /** Whether rows `[from, to)` have no value of a measure but 0. */
  areZero(measure: number, [from, to]: readonly [number, number]): boolean {
    return this.#kernel.functions.areZero(measure, from, to) !== 0;
  }

  /**
   * Sums up the measures in `mask` of rows `[from, to)`, until the label of one was not taught or sums must be handed over. Returns that
   * row, or `to`.
   */
  sumRows(from: number, to: number, mask: number): number {
    return this.#kernel.functions.sumRows(from, to, mask);
  }

  /** Sums up the measures in `mask` of a row; a value of 0 counts `times` times. Calls `hand` whenever sums must be handed over. */
  sumRow(row: number, mask: number, place: SumPlace, hand: () => void): void {
    const { slot, isWhole, second, times } = place;
    const known = entryOf(slot, isWhole);
    for (let summed = 0; summed === 0;) {
      summed = this.#kernel.functions.sumRow(row, known, second, mask, times);
      if (summed !== 1) hand();
    }
  }

  /** Closes all minutes of the first `slots` labels, for the measures in `mask`. */
  closeAll(slots: number, mask: number, hand: () => void): void {
    for (let areClosed = 0; areClosed === 0; hand()) {
      areClosed = this.#kernel.functions.closeAll(slots, mask);
    }
  }

  forget(): void {
    this.#slots.fill(0, 0, this.#labels);
    this.#labels = 0;
  }
}

function entryOf(slot: number, isWhole: boolean): number {
  return slot + 1 + (isWhole ? IS_WHOLE : 0);
}
