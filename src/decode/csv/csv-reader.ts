import type { Rejection } from "../../model/import-report.ts";
import type { ByteWindow } from "../bytes/byte-window.ts";
import type { CsvRecord } from "./csv-record.ts";
import { RECORD_BYTES_MAX, type SampleSink } from "../decoder.ts";
import { emptyLines, emptyLinesEnd } from "../bytes/line-reader.ts";

const QUOTE = 0x22;

/** Takes the records of a CSV source, in order. */
export interface CsvRecordTaker {
  /** Records that `takePlain` has read so far. */
  readonly plainRecords: number;
  /** Whether `takePlain` sees quotes itself, and does not read a record that has one. */
  readonly seesQuotes?: boolean;
  /**
   * Reads records of one line each from position `from` on. Returns where the first one begins that
   * it did not read: one that is odd, or that does not end before `to`. There is no quote before
   * `to`, unless it sees quotes itself. It may always return `from`, and must take every record as `take` would.
   */
  takePlain(bytes: Uint8Array, from: number, to: number): number;
  /** Takes the record that begins at `start`, or returns why it cannot be read. It is not blank. */
  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined;
  /**
   * Whether the record, which ends with the source and has no line end, is whole; if so, it is
   * given to `take`. Returns why it is not, otherwise.
   */
  cutReason(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined;
}

/**
 * Cuts what arrives in a window into records and knows where each of them begins. Empty lines are
 * no records. A record of more than `RECORD_BYTES_MAX` bytes is rejected and skipped to its end.
 */
export class CsvReader {
  readonly #window: ByteWindow;
  readonly #record: CsvRecord;
  readonly #taker: CsvRecordTaker;
  readonly #sink: SampleSink;
  /** Lines in front of the present record, those of plain records not counted. */
  #lines = 0;
  /** Whether `#record` has begun and not ended. */
  #isInRecord = false;
  /** Bytes of the present record that are no longer in the window. */
  #dropped = 0;
  /** Offset in the source of the present record. */
  #startByte = 0;

  constructor(window: ByteWindow, record: CsvRecord, taker: CsvRecordTaker, sink: SampleSink) {
    this.#window = window;
    this.#record = record;
    this.#taker = taker;
    this.#sink = sink;
  }

  /** Reads all whole records of the window and settles it. */
  read(): void {
    const { bytes, from, to } = this.#window;
    let start = from - this.#dropped;
    let quoteAt = -1;
    const { seesQuotes = false } = this.#taker;
    for (;;) {
      if (!this.#isInRecord) {
        const end = emptyLinesEnd(bytes, start, to);
        this.#lines += emptyLines(bytes, start, end);
        start = end;
        // Searched once for every quote, not once for every row.
        if (quoteAt < start) quoteAt = seesQuotes ? to : quoteFrom(bytes, start, to);
        start = this.#taker.takePlain(bytes, start, quoteAt);
        if (start === to) break;
        this.#begin(start);
      }
      if (!this.#record.scan(bytes, start, to)) break;
      this.#deliver(bytes, start);
      start += this.#record.length;
    }
    this.#settle(start);
  }

  /** Reads the rest of the source. Returns where it was cut, if so. */
  end(): Rejection | undefined {
    if (!this.#isInRecord) return undefined;
    const { bytes, from } = this.#window;
    const start = from - this.#dropped;
    if (this.#isTooLong()) return this.#locate("the source ends inside a record of over 1 MiB");
    if (!this.#record.finish(bytes, start)) return this.#locate("the source ends inside quotes");
    if (this.#record.isBlank) return undefined;
    const reason = this.#taker.cutReason(this.#record, bytes, start);
    if (reason !== undefined) return this.#locate(reason);
    this.#take(bytes, start);
    return undefined;
  }

  #begin(start: number): void {
    this.#isInRecord = true;
    this.#startByte = this.#window.offsetOf(start);
    this.#record.begin();
  }

  #deliver(bytes: Uint8Array, start: number): void {
    if (this.#isTooLong()) {
      this.#reject(`the record is too long: got ${this.#record.length} bytes, want at most 1 MiB`);
    } else if (!this.#record.isBlank) {
      this.#take(bytes, start);
    }
    this.#lines += this.#record.lineFeeds;
    this.#isInRecord = false;
    this.#dropped = 0;
  }

  #take(bytes: Uint8Array, start: number): void {
    const reason = this.#taker.take(this.#record, bytes, start);
    if (reason !== undefined) this.#reject(reason);
  }

  #reject(reason: string): void {
    this.#sink.reject(this.#locate(reason));
  }

  #locate(reason: string): Rejection {
    const line = this.#lines + this.#taker.plainRecords + 1;
    return { line, byte: this.#startByte, reason };
  }

  #settle(start: number): void {
    const { from, to } = this.#window;
    if (this.#isInRecord && this.#isTooLong()) {
      this.#dropped += to - Math.max(from, start);
      this.#window.settle(to);
    } else {
      this.#window.settle(start);
    }
  }

  #isTooLong(): boolean {
    return this.#record.length > RECORD_BYTES_MAX;
  }
}

/** A `Buffer` searches several times as fast as a plain array, and only as far as the window goes. */
function quoteFrom(bytes: Uint8Array, from: number, to: number): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, to).indexOf(QUOTE, from);
  return at < 0 ? to : at;
}
