import { LINE_FEED, QUOTE } from "../bytes/ascii.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { ByteWindow } from "../bytes/byte-window.ts";
import type { CsvRecord } from "./csv-record.ts";
import { RECORD_BYTES_MAX, type SampleSink } from "../decoder.ts";
import { emptyLines, emptyLinesEnd, HAS_HOLE, holeFrom } from "../bytes/line-reader.ts";
import type { RowRepairs } from "../row-repairs.ts";

/** Longer rows are scanned as they come. */
const CUT_BYTES_MAX = 1024;

export interface CsvRecordHandler {
  /** Records read by `takeFast`. @default 0 */
  readonly fastRecords?: number;
  /** Whether `takeFast` detects quotes itself and stops before a record with one. */
  readonly seesQuotes?: boolean;
  /**
   * Fast path, if there is one: reads one-line records from `from` on and returns where the first record begins that it did not
   * read; it may return `from`. Must treat records as `take` would. Without `seesQuotes`, there is no quote
   * before `to`.
   */
  takeFast?(bytes: Uint8Array, from: number, to: number): number;
  /** Handles a non-blank record at `start`; returns why it cannot be read. */
  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined;
  /** Checks a last record without line end: complete ones are handled by `take`, else returns what is missing. */
  cutReason(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined;
  /** What is unknown of the record that `take` has read. */
  readonly repairs?: RowRepairs | undefined;
}

/** Splits the window into CSV records with positions. Skips empty lines; rejects those over `RECORD_BYTES_MAX`. */
export class CsvReader {
  readonly #window: ByteWindow;
  readonly #record: CsvRecord;
  readonly #handler: CsvRecordHandler;
  readonly #sink: SampleSink;
  /** Lines before the open record, without those of the fast path. */
  #lines = 0;
  #isInRecord = false;
  /** Of the first record. */
  #fields: number | undefined;
  /** Bytes of the open record that have left the window. */
  #dropped = 0;
  /** Offset in the source of the open record. */
  #startByte = 0;
  /** Where the next hole begins. */
  #hole = 0;

  constructor(window: ByteWindow, record: CsvRecord, handler: CsvRecordHandler, sink: SampleSink) {
    this.#window = window;
    this.#record = record;
    this.#handler = handler;
    this.#sink = sink;
  }

  /** Reads all complete records and settles the window. */
  read(): void {
    const { bytes, from, to } = this.#window;
    let start = from - this.#dropped;
    let quoteAt = -1;
    let isFast = false;
    const { seesQuotes = false } = this.#handler;
    this.#hole = holeFrom(bytes, Math.max(0, start), to);
    for (;;) {
      if (!this.#isInRecord) {
        const end = emptyLinesEnd(bytes, start, to);
        this.#lines += emptyLines(bytes, start, end);
        start = end;
        // Searches for quotes once, not for every row.
        if (quoteAt < start) quoteAt = seesQuotes ? to : quoteFrom(bytes, start, to);
        if (this.#hole < start) this.#hole = holeFrom(bytes, start, to);
        const next = this.#takeFast(bytes, start, Math.min(quoteAt, this.#hole));
        isFast ||= next > start;
        start = next;
        if (start === to || (isFast && isCut(bytes, start, to))) break;
        this.#begin(start);
      }
      if (!this.#record.scan(bytes, start, to)) break;
      this.#deliver(bytes, start);
      start += this.#record.length;
    }
    this.#settle(start);
  }

  /** Returns where the source is truncated. */
  end(): Rejection | undefined {
    const { bytes, from, to } = this.#window;
    const start = from - this.#dropped;
    if (!this.#isInRecord) {
      if (from === to) return undefined;
      this.#begin(from);
      this.#hole = holeFrom(bytes, from, to);
      this.#record.scan(bytes, from, to);
    }
    if (this.#isTooLong()) return this.#locate("the source ends inside a record of over 1 MiB");
    if (!this.#record.finish(bytes, start)) return this.#locate("the source ends inside quotes");
    if (this.#record.isBlank) return undefined;
    const reason = this.#handler.cutReason(this.#record, bytes, start);
    if (reason !== undefined) return this.#locate(reason);
    this.#take(bytes, start);
    return undefined;
  }

  #takeFast(bytes: Uint8Array, from: number, to: number): number {
    return this.#handler.takeFast?.(bytes, from, to) ?? from;
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
    this.#fields ??= this.#record.fields;
    if (this.#record.hidesRows(bytes, start, this.#fields)) {
      return this.#reject("a quote that is not closed hides the next rows");
    }
    const hasHole = this.#hole > start && this.#hole < start + this.#record.length;
    const reason = hasHole ? HAS_HOLE : this.#handler.take(this.#record, bytes, start);
    if (reason !== undefined) this.#reject(reason);
    const { repairs } = this.#handler;
    if (repairs === undefined || repairs.isEmpty) return;
    if (reason !== undefined) repairs.clear();
    repairs.report(this.#sink, this.#locate(""));
  }

  #reject(reason: string): void {
    // A quote that is not closed takes the rows behind it into its record.
    this.#sink.reject(this.#locate(reason), Math.max(1, this.#record.lineFeeds));
  }

  #locate(reason: string): Rejection {
    const line = this.#lines + (this.#handler.fastRecords ?? 0) + 1;
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

/** Whether the rest is the beginning of a row that the fast path may read when its end has come. */
function isCut(bytes: Uint8Array, start: number, to: number): boolean {
  return to - start <= CUT_BYTES_MAX && bytes.indexOf(LINE_FEED, start) >= to;
}

/** `Buffer.indexOf` is several times as fast, and stops at the window. */
function quoteFrom(bytes: Uint8Array, from: number, to: number): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, to).indexOf(QUOTE, from);
  return at < 0 ? to : at;
}
