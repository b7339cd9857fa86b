import { CARRIAGE_RETURN, LINE_FEED } from "./ascii.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { ByteWindow } from "./byte-window.ts";
import { RECORD_BYTES_MAX, type SampleSink } from "../decoder.ts";
import type { RowRepairs } from "../row-repairs.ts";

/** Handles the lines of a format: `[from, to)` of `bytes`, without line end. */
export interface LineHandler {
  /** Returns why a line cannot be read. */
  take(bytes: Buffer, from: number, to: number): string | undefined;
  /** Whether a last line without line end is complete. */
  isWhole(bytes: Buffer, from: number, to: number): boolean;
  /** What is unknown of the line that `take` has read. */
  readonly repairs?: RowRepairs;
  readonly fastPath?: LineFastPath;
}

/** Reads most lines faster than `take`. */
interface LineFastPath {
  readonly count: number;
  /** Reads lines from `from`. Returns where the first unread line begins. */
  read(from: number, to: number): number;
}

const BLANK_MAX = 0x20;
/** Fewer NUL bytes are text. */
export const HOLE_BYTES = 8;
const HOLE = Buffer.alloc(HOLE_BYTES);
/** Why a line or row with a hole behind its first byte is rejected: it would be made of the halves of two. */
export const HAS_HOLE = "NUL bytes inside: a part of the source was never written";

/** Splits the window into lines (LF or CRLF), skips blank ones, and rejects lines that are too long or unreadable. */
export class LineReader {
  readonly #window: ByteWindow;
  readonly #handler: LineHandler;
  readonly #sink: SampleSink;
  #line = 0;
  /** Bytes of the open line already searched for its end. */
  #searched = 0;
  /** Bytes dropped of an open line that is too long. */
  #dropped = 0;
  #droppedFrom = 0;

  constructor(window: ByteWindow, handler: LineHandler, sink: SampleSink) {
    this.#window = window;
    this.#handler = handler;
    this.#sink = sink;
  }

  /** Must be called after each `append` to the window. */
  read(): void {
    const { bytes, from, to } = this.#window;
    let [at, end] = [from, this.#lineEnd(from + this.#searched)];
    // A line that is still open is not read again and again.
    if (this.#dropped === 0 && (end < to || this.#searched === 0)) {
      at = this.#skipLines(from);
      end = this.#lineEnd(at);
    }
    let hole = -1;
    while (end < to) {
      if (hole < at) hole = holeFrom(bytes, at, to);
      this.#deliver(bytes, at, end, hole);
      at = this.#skipLines(end + 1);
      end = this.#lineEnd(at);
    }
    this.#searched = to - at;
    if (this.#dropped + this.#searched > RECORD_BYTES_MAX) {
      if (this.#dropped === 0) this.#droppedFrom = this.#window.offsetOf(at);
      this.#dropped += this.#searched;
      this.#searched = 0;
      at = to;
    }
    this.#window.settle(at);
  }

  /** Reads a last line without line end. Returns where the source is truncated. */
  end(): Rejection | undefined {
    const { bytes, from, to } = this.#window;
    const line = this.#line + 1;
    if (this.#dropped > 0) {
      const reason = "the source ends inside a line of over 1 MiB";
      return { line, byte: this.#droppedFrom, reason };
    }
    if (isBlank(bytes, from, to)) return undefined;
    if (!this.#handler.isWhole(bytes, from, to)) {
      return { line, byte: this.#window.offsetOf(from), reason: "the source ends inside a line" };
    }
    this.#deliver(bytes, from, to, holeFrom(bytes, from, to));
    return undefined;
  }

  /** The window ends with line feeds, so that one is always found. */
  #lineEnd(at: number): number {
    return this.#window.bytes.indexOf(LINE_FEED, at);
  }

  #skipLines(at: number): number {
    const { bytes, to } = this.#window;
    const end = emptyLinesEnd(bytes, at, to);
    this.#line += emptyLines(bytes, at, end);
    const { fastPath } = this.#handler;
    if (fastPath === undefined) return end;
    const before = fastPath.count;
    const next = fastPath.read(end, to);
    this.#line += fastPath.count - before;
    return next;
  }

  #deliver(bytes: Buffer, from: number, end: number, hole: number): void {
    this.#line += 1;
    const length = this.#dropped + (end - from);
    if (length > RECORD_BYTES_MAX) {
      const byte = this.#dropped > 0 ? this.#droppedFrom : this.#window.offsetOf(from);
      this.#dropped = 0;
      this.#reject(byte, `the line is too long: got ${length} bytes, want at most 1 MiB`);
      return;
    }
    const to = end > from && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    if (isBlank(bytes, from, to)) return;
    const reason = hole > from && hole < to ? HAS_HOLE : this.#handler.take(bytes, from, to);
    if (reason !== undefined) this.#reject(this.#window.offsetOf(from), reason);
    const { repairs } = this.#handler;
    if (repairs === undefined || repairs.isEmpty) return;
    if (reason !== undefined) repairs.clear();
    repairs.report(this.#sink, { line: this.#line, byte: this.#window.offsetOf(from) });
  }

  #reject(byte: number, reason: string): void {
    this.#sink.reject({ line: this.#line, byte, reason });
  }
}

/** Where the first hole begins, else `to`. */
export function holeFrom(bytes: Uint8Array, from: number, to: number): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, to).indexOf(HOLE, from);
  return at < 0 ? to : at;
}

/** NUL is no blank: lost data reads as NUL. */
export function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte > BLANK_MAX || byte === 0) return false;
  }
  return true;
}

/** Skips empty lines of one style, LF or CRLF, in a fraction of the time; `emptyLines` returns their number. */
export function emptyLinesEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  if (bytes[at] === CARRIAGE_RETURN) {
    while (at + 1 < to && bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) at += 2;
    return at;
  }
  while (at < to && bytes[at] === LINE_FEED) at += 1;
  return at;
}

/** Number of lines skipped by `emptyLinesEnd`. */
export function emptyLines(bytes: Uint8Array, from: number, end: number): number {
  return bytes[from] === CARRIAGE_RETURN ? (end - from) / 2 : end - from;
}
