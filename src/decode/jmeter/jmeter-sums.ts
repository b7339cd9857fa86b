import { WholeSums } from "../measures/whole-sums.ts";
import { CELLS, type ColumnSums, MINUTE_WORDS, type RowPlaces } from "./measured-column.ts";

/** Exports of kernel/rows for sums. */
export interface JmeterSumExports {
  readonly memory: WebAssembly.Memory;
  readonly BATCH_ROWS: WebAssembly.Global;
  readonly PLACES: WebAssembly.Global;
  readonly PLACE_MINUTES: WebAssembly.Global;
  readonly OPENS: WebAssembly.Global;
  readonly SUMS: WebAssembly.Global;
  readonly SUM_BYTES: WebAssembly.Global;
  readonly SUM_MINUTES: WebAssembly.Global;
  readonly SUM_PLACES: WebAssembly.Global;
  readonly WHOLE: WebAssembly.Global;
  readonly LABEL_SLOTS: WebAssembly.Global;
  readonly SLOTTED_LABELS: WebAssembly.Global;
  sumUp(measure: number, from: number, to: number, times: number): number;
  sumRows(from: number, to: number, mask: number): number;
  areZero(measure: number, from: number, to: number): number;
}

/** As in kernel/rows/sums.ts. */
const IS_WHOLE = 0x8000;

/** Sums of measures in the memory of the kernel. */
export class JmeterSums {
  /** Memory in which rows are placed for `ColumnSums.sumUp`. */
  readonly places: RowPlaces;
  readonly #exports: JmeterSumExports;
  readonly #values: readonly Int32Array[];
  /** By label: its slot plus 1, with `IS_WHOLE`. */
  readonly #slots: Uint16Array;
  /** How many labels `#slots` may have. */
  #labels = 0;

  /** `values`: by measure and row. */
  constructor(exports: JmeterSumExports, values: readonly Int32Array[]) {
    this.#exports = exports;
    this.#values = values;
    const { buffer } = exports.memory;
    const rows = this.#at("BATCH_ROWS");
    this.places = {
      place: new Uint32Array(buffer, this.#at("PLACES"), rows),
      minute: new Uint32Array(buffer, this.#at("PLACE_MINUTES"), rows),
      open: new Uint32Array(buffer, this.#at("OPENS"), rows),
    };
    this.#slots = new Uint16Array(buffer, this.#at("LABEL_SLOTS"), this.#at("SLOTTED_LABELS"));
  }

  /** Memory of the sums of a measure. */
  of(measure: number): ColumnSums {
    const { buffer } = this.#exports.memory;
    const at = this.#at("SUMS") + measure * this.#at("SUM_BYTES");
    const places = this.#at("SUM_PLACES");
    const words = (places - 1) * MINUTE_WORDS + 1;
    const first = this.#at("SUM_MINUTES") + measure * Uint32Array.BYTES_PER_ELEMENT;
    return {
      values: this.#values[measure] as Int32Array,
      minute: new Uint32Array(buffer, first, words),
      cells: new Float64Array(buffer, at, places * CELLS),
      whole: new WholeSums(buffer, at + this.#at("WHOLE")),
      sumUp: (from, to, times) => this.#exports.sumUp(measure, from, to, times),
      areZero: (from, to) => this.#exports.areZero(measure, from, to) !== 0,
    };
  }

  /** Teaches the slot of a label, if there is room, and whether its rows are of the load test. */
  learn(label: number, slot: number, isWhole: boolean): void {
    if (label >= this.#slots.length) return;
    this.#labels = Math.max(this.#labels, label + 1);
    this.#slots[label] = slot + 1 + (isWhole ? IS_WHOLE : 0);
  }

  /**
   * Sums up the measures in `mask` of rows `[from, to)`, until the label of one was not taught, or its minute is not open. Returns that
   * row, or `to`.
   */
  sumRows(from: number, to: number, mask: number): number {
    return this.#exports.sumRows(from, to, mask);
  }

  /** Forgets all labels. */
  forget(): void {
    this.#slots.fill(0, 0, this.#labels);
    this.#labels = 0;
  }

  #at(name: Exclude<keyof JmeterSumExports, "memory" | "sumUp" | "sumRows" | "areZero">): number {
    return this.#exports[name].value as number;
  }
}
