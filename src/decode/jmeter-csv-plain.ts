import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import type { JmeterTargets } from "./jmeter-samples.ts";
import { LABEL_TOO_LONG } from "./label-table.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ZERO = 0x30;

/** Digits of a number that is surely exact in 32 bits. */
const SMALL_DIGITS = 9;
/** Digits of milliseconds since the epoch between 2001 and 2286. */
const MILLIS_DIGITS = 13;
/** First five digits below which a second can be stored for certain. */
const HIGH_MAX = 42_948;
/** The letters of `true`. */
const TRUE = 0x74727565;
/** What the readers of fields below answer where `JmeterCsvRow` has to look. */
const ODD = -1;

/**
 * Reads the rows that nearly all files consist of: nothing quoted, plain numbers, one request. It
 * gives up before a row that it does not fully understand, and leaves no trace of it. Allocates
 * nothing.
 */
export class JmeterPlainRows {
  /** Rows read so far. */
  count = 0;
  readonly #columns: JmeterColumns;
  readonly #targets: JmeterTargets;
  /** Field i of the present row is `[bounds[i] + 1, bounds[i + 1])`. */
  readonly #bounds: Int32Array;

  /** Whether rows with these columns can be plain: whether one failed must not take two fields. */
  static canRead({ success, errorCount }: JmeterColumns): boolean {
    return success !== undefined || errorCount === undefined;
  }

  constructor(columns: JmeterColumns, targets: JmeterTargets) {
    this.#columns = columns;
    this.#targets = targets;
    this.#bounds = new Int32Array(columns.fields + 1);
  }

  /**
   * Reads rows from position `from` on, where one begins; there is no quote before `to`. Returns
   * where the first row begins that was not read.
   */
  read(bytes: Uint8Array, from: number, to: number): number {
    const { delimiter, fields } = this.#columns;
    const bounds = this.#bounds;
    let row = from;
    for (;;) {
      bounds[0] = row - 1;
      let field = 1;
      let at = row;
      for (; at < to; at++) {
        const byte = bytes[at] as number;
        if (byte === delimiter) {
          if (field === fields) return row;
          bounds[field++] = at;
        } else if (byte === LINE_FEED) break;
      }
      if (at === to || field !== fields) return row;
      bounds[field] = at > row && bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
      if (!this.#record(bytes)) return row;
      this.count += 1;
      row = at + 1;
    }
  }

  #record(bytes: Uint8Array): boolean {
    const { timeStamp, elapsed, label, success, bytes: size, sampleCount } = this.#columns;
    const { rows, labels } = this.#targets;
    const bounds = this.#bounds;
    const second = timeStamp === undefined ? 0 : this.#second(bytes, timeStamp);
    const millis = this.#number(bytes, elapsed);
    const received = size === undefined ? 0 : this.#number(bytes, size);
    const failed = success === undefined ? 0 : this.#failure(bytes, success);
    const requests = sampleCount === undefined ? 1 : this.#number(bytes, sampleCount);
    if (second === ODD || millis === ODD || received === ODD || failed === ODD) return false;
    if (requests !== 1) return false;
    const index = labels.indexOf(bytes, (bounds[label] as number) + 1, bounds[label + 1] as number);
    if (index === LABEL_TOO_LONG) return false;
    const { batch } = rows;
    const row = batch.rows;
    batch.label[row] = index;
    batch.second[row] = second;
    batch.elapsedMicros[row] = millis * 1000;
    batch.receivedBytes[row] = received;
    batch.requests[row] = 1;
    batch.failedRequests[row] = failed;
    rows.advance();
    return true;
  }

  #second(bytes: Uint8Array, field: number): number {
    const from = (this.#bounds[field] as number) + 1;
    const to = this.#bounds[field + 1] as number;
    if (to - from !== MILLIS_DIGITS) return this.#targets.timestamps.read(bytes, from, to) ?? ODD;
    // In three parts, each of which stays an integer of 32 bits.
    const high = smallNumber(bytes, from, from + 5);
    const low = smallNumber(bytes, from + 5, from + 10);
    const millis = smallNumber(bytes, from + 10, to);
    const isOdd = high === ODD || low === ODD || millis === ODD || high > HIGH_MAX;
    return isOdd ? ODD : high * 100_000 + low;
  }

  #number(bytes: Uint8Array, field: number): number {
    const bounds = this.#bounds;
    return smallNumber(bytes, (bounds[field] as number) + 1, bounds[field + 1] as number);
  }

  #failure(bytes: Uint8Array, field: number): number {
    const bounds = this.#bounds;
    return failure(bytes, (bounds[field] as number) + 1, bounds[field + 1] as number);
  }
}

/** The number that at most nine digits at `[from, to)` write. */
function smallNumber(bytes: Uint8Array, from: number, to: number): number {
  if (to === from || to - from > SMALL_DIGITS) return ODD;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return ODD;
    value = value * 10 + digit;
  }
  return value;
}

/** 0 for `true`, 1 for what cannot say so; what may say `TRUE` is odd. */
function failure(bytes: Uint8Array, from: number, to: number): number {
  if (to - from !== 4) return 1;
  return word(bytes, from) === TRUE ? 0 : ODD;
}

/** Four letters as one number. */
function word(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}
