import { LINE_FEED } from "../bytes/ascii.ts";
import type { Rejection } from "../../model/import-report.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";
import { endsString, LinePoint } from "./line-point.ts";
import type { LineRepeats, RepeatingSource } from "./line-repeats.ts";
import type { PointPlace } from "./point-values.ts";

export interface PointHandler extends RepeatingSource {
  readonly repeats: LineRepeats;
  /** `point` is valid until this returns, as is the place where it begins. Returns why it cannot be used. */
  take(point: LinePoint, place: PointPlace): string | undefined;
  /** Whether points of this measurement are expected, so that such a line begins a new point. */
  isKnown(point: LinePoint): boolean;
  /** Whether a last point without line end is complete. Absent: always. */
  isWhole?(point: LinePoint): boolean;
  /** Receives unreadable lines and unusable points. */
  reject(rejection: Rejection): void;
}

/** How often an open point is read again; beyond, its first line is broken. */
const JOINED_READS_MAX = 100;
const JOINED_BYTES_MAX = 64 * 1024;

/** Limit on bytes that are reread without finding a point: four for each byte read so far, and 1 MiB. Beyond it, lines are not joined. */
const VAIN_PER_BYTE = 4;
const VAIN_BYTES_MIN = 1024 * 1024;

/** Chunks are read in pieces that fit into the cache of the processor. */
const PIECE_BYTES = 64 * 1024;

const OPEN = "it ends inside a value";
const OPEN_AT_END = "the source ends inside a line";

/**
 * Splits line protocol into points. k6 writes line feeds within values, so that a line ending inside a value is
 * joined with the next ones, unless that is within a tag and the next is a point of a known measurement. What continues a
 * string is never a point: it may be text of the system under test. A fault costs its own line only.
 */
export class PointReader implements PointPlace {
  readonly #handler: PointHandler;
  readonly #window = new ByteWindow();
  readonly #point = new LinePoint();
  /** Lines before the open or next point. */
  #line = 0;
  /** Complete lines of the open point; 0: none. */
  #joined = 0;
  /** How often the open point was read. */
  #reads = 0;
  /** Bytes that were read for the open point after its first line. */
  #readAgain = 0;
  /** Those of points that turned out to be none. */
  #inVain = 0;
  #isInString = false;
  /** Bytes of the open point before its incomplete line. */
  #joinedBytes = 0;
  /** Bytes of the incomplete line already searched for its end. */
  #searched = 0;
  /** Dropped bytes of an incomplete line that is too long, and its start. */
  #dropped = 0;
  #droppedFrom = 0;

  constructor(handler: PointHandler) {
    this.#handler = handler;
  }

  /** Where the open or next point begins. */
  get line(): number {
    return this.#line + 1;
  }

  get byte(): number {
    return this.#window.offsetOf(this.#window.from);
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#pushPiece(bytes.subarray(at, at + PIECE_BYTES));
    }
  }

  /** Copies only lines to the window that the cache does not take, first one, then ever more at once. */
  #pushPiece(piece: Buffer): void {
    const window = this.#window;
    const start = window.offsetOf(window.to);
    this.#handler.repeats.offer(this.#handler, start, [
      window.bytes.subarray(window.from, window.to),
      piece,
    ]);
    this.#takeRepeats();
    let copied = 0;
    let at = window.offsetOf(window.to) - start;
    while (at < piece.length) {
      const lineEnd = piece.indexOf(LINE_FEED, at + copied);
      const end = lineEnd < 0 ? piece.length : lineEnd + 1;
      window.append(piece.subarray(at, end));
      copied += end - at;
      this.#readLines();
      at = window.offsetOf(window.to) - start;
    }
    this.#dropTooLong();
  }

  /** Takes the next lines by the cache, even beyond the window. */
  #takeRepeats(): void {
    if (this.#joined > 0 || this.#dropped > 0) return;
    const window = this.#window;
    const offset = window.offsetOf(window.from);
    const { to, lines } = this.#handler.repeats.take(this.#handler, offset);
    if (lines === 0) return;
    this.#line += lines;
    this.#searched = 0;
    if (to > window.offsetOf(window.to)) window.skipTo(to);
    else window.settle(window.from + to - offset);
  }

  /** Returns an incomplete last line. Nothing may be read afterwards. */
  end(): Rejection | undefined {
    const truncated = this.#readLast();
    this.#handler.repeats.leave();
    this.#window.release();
    return truncated;
  }

  #readLast(): Rejection | undefined {
    const { to } = this.#window;
    if (this.#dropped > 0) {
      const reason = "the source ends inside a line of over 1 MiB";
      return { line: this.#line + 1, byte: this.#droppedFrom, reason };
    }
    for (;;) {
      const { bytes, from } = this.#window;
      if (from === to) return undefined;
      const isWithinLine = from + this.#joinedBytes < to;
      const state = isWithinLine ? this.#point.read(bytes, from, to) : "open-tag";
      if (state === "nothing") return undefined;
      const reason = state === "point" ? this.#takeLast() : OPEN_AT_END;
      if (reason === undefined) return undefined;
      if (this.#joined === 0) return this.#rejection(reason);
      this.#rejectFirst(OPEN);
      this.#readLines();
    }
  }

  #takeLast(): string | undefined {
    const isWhole = this.#handler.isWhole?.(this.#point) ?? true;
    return isWhole ? this.#handler.take(this.#point, this) : OPEN_AT_END;
  }

  #readLines(): void {
    const { bytes } = this.#window;
    for (;;) {
      const { to } = this.#window;
      const lineFrom = this.#window.from + this.#joinedBytes;
      const end = bytes.indexOf(LINE_FEED, lineFrom + this.#searched);
      if (end < 0 || end >= to) {
        this.#searched = to - lineFrom;
        return;
      }
      this.#searched = 0;
      this.#readLine(lineFrom, end);
      this.#takeRepeats();
    }
  }

  /** Reads a line, with the open lines before it. */
  #readLine(lineFrom: number, end: number): void {
    const { bytes, from } = this.#window;
    if (this.#joined > 0) {
      this.#readJoined(lineFrom, end);
      return;
    }
    if (this.#dropped > 0 || end - from > RECORD_BYTES_MAX) {
      this.#rejectTooLong(end);
      return;
    }
    const state = this.#point.read(bytes, from, end);
    if (typeof state === "object") this.#rejectFirst(state.broken);
    else if (state === "point" || state === "nothing") this.#settle(end + 1, state);
    else this.#join(end, state);
  }

  #readJoined(lineFrom: number, end: number): void {
    const { bytes, from } = this.#window;
    const isTooLong = this.#reads === JOINED_READS_MAX || end - from > JOINED_BYTES_MAX;
    const inVainMax = VAIN_BYTES_MIN + VAIN_PER_BYTE * this.#window.offsetOf(end);
    this.#readAgain += end - lineFrom;
    if (
      isTooLong ||
      this.#inVain > inVainMax ||
      (!this.#isInString && this.#isPoint(lineFrom, end))
    ) {
      this.#rejectFirst(OPEN);
      return;
    }
    if (this.#isInString && !endsString(bytes, lineFrom, end)) {
      this.#joinLine(end);
      return;
    }
    this.#readAgain += end - from;
    const state = this.#point.read(bytes, from, end);
    if (state === "open-tag" || state === "open-string") this.#join(end, state);
    else if (state === "point" && this.#point.hasDistinctTags()) this.#settle(end + 1, state);
    else this.#rejectFirst(OPEN);
  }

  /** Whether the line is certainly a point of its own. */
  #isPoint(from: number, to: number): boolean {
    const state = this.#point.read(this.#window.bytes, from, to);
    return state === "point" && this.#handler.isKnown(this.#point);
  }

  #join(end: number, state: "open-tag" | "open-string"): void {
    this.#reads += 1;
    this.#isInString = state === "open-string";
    this.#joinLine(end);
  }

  /** Continues the point after the line ending at `end`. */
  #joinLine(end: number): void {
    this.#joined += 1;
    this.#joinedBytes = end + 1 - this.#window.from;
  }

  /** Finishes the point before `at`. */
  #settle(at: number, state: "point" | "nothing"): void {
    if (state === "point") {
      const reason = this.#handler.take(this.#point, this);
      if (reason !== undefined) this.#handler.reject(this.#rejection(reason));
    }
    this.#line += this.#joined + 1;
    this.#goOnAt(at);
  }

  /** Rejects the first line of the open point and reads the others again. */
  #rejectFirst(reason: string): void {
    const { bytes, from } = this.#window;
    this.#handler.reject(this.#rejection(reason));
    this.#line += 1;
    this.#inVain += this.#readAgain;
    this.#goOnAt(bytes.indexOf(LINE_FEED, from) + 1);
  }

  #rejectTooLong(end: number): void {
    const { from } = this.#window;
    const byte = this.#dropped > 0 ? this.#droppedFrom : this.#window.offsetOf(from);
    const length = this.#dropped + (end - from);
    const reason = `the line is too long: got ${length} bytes, want at most 1 MiB`;
    this.#handler.reject({ line: this.#line + 1, byte, reason });
    this.#line += 1;
    this.#dropped = 0;
    this.#goOnAt(end + 1);
  }

  /** Drops an overlong line, so that memory stays bounded. */
  #dropTooLong(): void {
    const { to } = this.#window;
    if (this.#dropped + this.#searched <= RECORD_BYTES_MAX) return;
    while (this.#joined > 0) {
      this.#rejectFirst(OPEN);
      this.#readLines();
    }
    const { from } = this.#window;
    if (this.#dropped === 0) this.#droppedFrom = this.#window.offsetOf(from);
    this.#dropped += to - from;
    this.#searched = 0;
    this.#window.settle(to);
  }

  #goOnAt(at: number): void {
    this.#reads = 0;
    this.#readAgain = 0;
    this.#joined = 0;
    this.#joinedBytes = 0;
    this.#searched = 0;
    this.#window.settle(at);
  }

  #rejection(reason: string): Rejection {
    return { line: this.line, byte: this.byte, reason };
  }
}
