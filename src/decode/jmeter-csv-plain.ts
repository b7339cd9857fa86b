import type { SampleBatch } from "../model/sample-batch.ts";
import {
  areDigits,
  bitsBefore,
  countOf,
  digitsOf,
  equalBytes,
  fourDigits,
  lowBits,
  repeated,
  twoDigits,
  viewOf,
} from "./byte-words.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import { JmeterPlainFailures } from "./jmeter-csv-failures.ts";
import type { JmeterCsvTargets } from "./jmeter-csv-roles.ts";
import { FIELD, type PlainPlan, planOf } from "./jmeter-csv-plan.ts";
import { JmeterPlainThreads } from "./jmeter-csv-threads.ts";
import { JmeterPlainRoles } from "./jmeter-plain-roles.ts";
import { hashOf, LABEL_TOO_LONG, mix } from "./label-table.ts";
import { fieldEnd, withoutReturn } from "./plain-fields.ts";

const LINE_FEED = 0x0a;
const LINE_FEEDS = repeated(LINE_FEED);
const CARRIAGE_RETURN = 0x0d;
const ZERO = 0x30;
const ONE = 0x31;
/** Digits of a number that is surely exact in 32 bits. */
const SMALL_DIGITS = 9;
/** Digits of milliseconds since the epoch between 2001 and 2286. */
const MILLIS_DIGITS = 13;
/** First four digits up to which their second can be stored for certain. */
const HIGH_MAX = 4293;
/** The letters of `true`. */
const TRUE = 0x65_75_72_74;
/** What the readers of fields below answer where `JmeterCsvRow` has to look. */
const ODD = -1;

/**
 * Reads the rows that nearly all files consist of: nothing quoted, plain numbers, one request. It
 * gives up before a row that it does not fully understand, and leaves no trace of it. Allocates
 * nothing.
 *
 * A row is walked over once. What its fields hold is written to the batch on the way, where it does
 * not count before the row has turned out to be whole. Nothing on the way looks for the end of the
 * bytes: `ByteWindow` has line feeds behind them, and no field goes beyond one.
 */
export class JmeterPlainRows {
  /** Rows read so far. */
  count = 0;
  readonly #targets: JmeterCsvTargets;
  readonly #batch: SampleBatch;
  readonly #delimiter: number;
  readonly #delimiters: number;
  readonly #plan: PlainPlan;
  readonly #failures: JmeterPlainFailures;
  readonly #threads: JmeterPlainThreads;
  readonly #roles: JmeterPlainRoles;
  #bytes: Uint8Array = new Uint8Array(0);
  /** Words are read through a view, which takes half the time of reading bytes. */
  #view = viewOf(this.#bytes);
  /** Number that was walked over last. */
  #number = 0;
  #labelFrom = 0;
  #labelTo = 0;
  #labelHash = 0;
  /** Where the timestamp is, if it was not read on the way; else `#timeTo` is 0. */
  #timeFrom = 0;
  #timeTo = 0;

  constructor(columns: JmeterColumns, targets: JmeterCsvTargets) {
    this.#targets = targets;
    this.#batch = targets.rows.batch;
    this.#delimiter = columns.delimiter;
    this.#delimiters = repeated(columns.delimiter);
    this.#threads = new JmeterPlainThreads(columns, targets.extras);
    this.#failures = new JmeterPlainFailures(columns, targets.extras);
    this.#roles = new JmeterPlainRoles(columns, targets);
    this.#plan = planOf(columns);
  }

  /**
   * Reads rows from position `from` on, where one begins; there is no quote before `to`. Returns
   * where the first row begins that was not read.
   */
  read(bytes: Uint8Array, from: number, to: number): number {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    for (let row = from; ; this.count += 1) {
      const end = this.#walk(row);
      if (end === ODD || end >= to || !this.#record(row)) return row;
      row = end + 1;
    }
  }

  /** See `JmeterPlainRoles`. */
  settle(bytes: Uint8Array): void {
    this.#roles.settle(bytes);
  }

  /** Walks over the row that begins at `row`. Returns where its line feed is, or `ODD`. */
  #walk(row: number): number {
    const { fields, others } = this.#plan;
    this.#beginRow();
    let at = this.#skip(row, others[0] as number);
    for (let next = 0; at !== ODD;) {
      at = this.#field(fields[next++] as number, at);
      if (next === fields.length || at === ODD) break;
      if (this.#bytes[at] !== this.#delimiter) return ODD;
      at = this.#skip(at + 1, others[next] as number);
    }
    return at === ODD ? ODD : this.#lineEnd(at, others[fields.length] as number);
  }

  /** Writes what holds where a row does not say. */
  #beginRow(): void {
    const batch = this.#batch;
    const row = batch.rows;
    batch.second[row] = 0;
    batch.receivedBytes[row] = 0;
    batch.requests[row] = 1;
    batch.failedRequests[row] = 0;
    this.#timeTo = 0;
  }

  /** Records the row that begins at `row`, or leaves it where a field turns out to be odd. */
  #record(row: number): boolean {
    const { labels, rows, timestamps } = this.#targets;
    const bytes = this.#bytes;
    const batch = this.#batch;
    if (this.#timeTo > 0) {
      const second = timestamps.read(bytes, this.#timeFrom, this.#timeTo);
      if (second === undefined) return false;
      batch.second[batch.rows] = second;
      this.#threads.millis = timestamps.millis;
    }
    const index = labels.indexOfHashed(bytes, this.#labelFrom, this.#labelTo, this.#labelHash);
    if (index === LABEL_TOO_LONG) return false;
    batch.label[batch.rows] = index;
    if (this.#threads.areTold) this.#threads.tell(bytes, batch);
    this.#roles.tell(bytes, row, this.#threads.millis);
    const second = batch.second[batch.rows] as number;
    const hasFailed = batch.failedRequests[batch.rows] === 1;
    rows.advance();
    if (hasFailed) this.#failures.tell(bytes, row, index, second);
    return true;
  }

  /** Reads the field that begins at `from`. Returns where it ends, or `ODD`. */
  #field(field: number, from: number): number {
    const batch = this.#batch;
    let end = from + 1;
    switch (field) {
      case FIELD.timeStamp:
        return this.#timeStamp(from);
      case FIELD.elapsed:
        end = this.#digits(from);
        batch.elapsedMicros[batch.rows] = this.#number * 1000;
        return end;
      case FIELD.label:
        return this.#label(from);
      case FIELD.success:
        return this.#success(from);
      case FIELD.bytes:
        end = this.#digits(from);
        batch.receivedBytes[batch.rows] = this.#number;
        return end;
      case FIELD.allThreads:
        end = this.#digits(from);
        this.#threads.active = this.#number;
        return end;
      case FIELD.hostname:
        end = this.#fieldEnd(from);
        this.#threads.hostFrom = from;
        this.#threads.hostTo = end;
        return end;
      default:
        return this.#bytes[from] === ONE ? end : ODD;
    }
  }

  /** Thirteen digits, four at a time. Any other timestamp is read once the row is known to be one. */
  #timeStamp(from: number): number {
    const view = this.#view;
    const batch = this.#batch;
    const high = digitsOf(view.getInt32(from, true));
    const middle = digitsOf(view.getInt32(from + 4, true));
    const low = digitsOf(view.getInt32(from + 8, true));
    const end = from + MILLIS_DIGITS;
    const lastDigit = view.getUint8(end - 1) - ZERO;
    const isPlain = areDigits(high) && areDigits(middle) && areDigits(low) && lastDigit >>> 0 <= 9;
    if (!isPlain || view.getUint8(end) !== this.#delimiter || fourDigits(high) > HIGH_MAX) {
      return this.#timeText(from);
    }
    batch.second[batch.rows] =
      fourDigits(high) * 1_000_000 + fourDigits(middle) * 100 + twoDigits(low);
    this.#threads.millis = (fourDigits(low) - twoDigits(low) * 100) * 10 + lastDigit;
    return end;
  }

  #timeText(from: number): number {
    const to = this.#fieldEnd(from);
    this.#timeFrom = from;
    this.#timeTo = to;
    return to === from ? ODD : to;
  }

  /** A number of at most nine digits. */
  #digits(from: number): number {
    const bytes = this.#bytes;
    let value = 0;
    let at = from;
    for (; ; at++) {
      const digit = (bytes[at] as number) - ZERO;
      if (digit >>> 0 > 9) break;
      value = (value * 10 + digit) | 0;
    }
    this.#number = value;
    return at === from || at - from > SMALL_DIGITS ? ODD : at;
  }

  #label(from: number): number {
    const view = this.#view;
    const delimiters = this.#delimiters;
    let hash = 0;
    let at = from;
    for (; ; at += 4) {
      const word = view.getInt32(at, true);
      const ends = equalBytes(word, delimiters) | equalBytes(word, LINE_FEEDS);
      if (ends !== 0) {
        const bits = bitsBefore(ends);
        hash = mix(hash, lowBits(word, bits));
        at += bits >>> 3;
        break;
      }
      hash = mix(hash, word);
    }
    const to = withoutReturn(this.#bytes, from, at);
    this.#labelFrom = from;
    this.#labelTo = to;
    this.#labelHash = to === at ? hash : hashOf(view, from, to);
    return to;
  }

  /** `true`, or what cannot say so; what may say `TRUE` is odd. */
  #success(from: number): number {
    if (this.#view.getInt32(from, true) === TRUE) return from + 4;
    const batch = this.#batch;
    batch.failedRequests[batch.rows] = 1;
    const to = this.#fieldEnd(from);
    return to - from === 4 ? ODD : to;
  }

  /** Walks over so many fields and their delimiters. */
  #skip(from: number, fields: number): number {
    const bytes = this.#bytes;
    const delimiter = this.#delimiter;
    let at = from;
    for (let left = fields; left > 0; at++) {
      const byte = bytes[at];
      if (byte === delimiter) left -= 1;
      else if (byte === LINE_FEED) return ODD;
    }
    return at;
  }

  /** Where the row ends: so many fields behind the one that ends at `from`. */
  #lineEnd(from: number, fields: number): number {
    const bytes = this.#bytes;
    if (fields > 0) return bytes[from] === this.#delimiter ? this.#lastFields(from, fields) : ODD;
    const at = bytes[from] === CARRIAGE_RETURN ? from + 1 : from;
    return bytes[at] === LINE_FEED ? at : ODD;
  }

  /** Counts words at a time, without looking where each of the fields ends. */
  #lastFields(from: number, fields: number): number {
    const view = this.#view;
    const delimiters = this.#delimiters;
    let counted = 0;
    for (let at = from; ; at += 4) {
      const word = view.getInt32(at, true);
      const found = equalBytes(word, delimiters);
      const lineFeeds = equalBytes(word, LINE_FEEDS);
      if (lineFeeds !== 0) {
        const bits = bitsBefore(lineFeeds);
        return counted + countOf(lowBits(found, bits)) === fields ? at + (bits >>> 3) : ODD;
      }
      counted += countOf(found);
    }
  }

  #fieldEnd(from: number): number {
    const bytes = this.#bytes;
    return withoutReturn(bytes, from, fieldEnd(bytes, from, this.#delimiter));
  }
}
