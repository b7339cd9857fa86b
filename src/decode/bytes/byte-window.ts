import { LINE_FEED } from "./ascii.ts";
import { releaseMemory } from "../../concurrency/release-memory.ts";

/** Enough to read 13 digits of a timestamp and the byte after them. */
const LINE_FEEDS_AFTER = 16;
/** Little: each post of a live sender has a window. */
const FIRST_BYTES = 4 * 1024;

/** Buffers the bytes from the last complete record on, copied a bounded number of times for any chunk sizes. */
export class ByteWindow {
  /**
   * Unread bytes are `[from, to)`, followed by 16 line feeds, so that a search always ends. Positions do not
   * survive `append`. A `Buffer`, as its `indexOf` is 25 times as fast as that of a `Uint8Array`.
   */
  bytes: Buffer;
  from = 0;
  to = 0;
  #offset = 0;
  readonly #isFixed: boolean;

  /** `memory` must hold four times the unread bytes plus a chunk. */
  constructor(memory?: Buffer) {
    this.#isFixed = memory !== undefined;
    this.bytes = memory ?? Buffer.alloc(FIRST_BYTES, LINE_FEED);
  }

  /** Offset in the source of position `at`. */
  offsetOf(at: number): number {
    return this.#offset + at;
  }

  append(chunk: Uint8Array): void {
    const wanted = this.to + chunk.length + LINE_FEEDS_AFTER;
    if (this.#isFixed) this.#returnToFront();
    else if (wanted > this.bytes.length) this.#makeRoom(chunk.length);
    this.bytes.set(chunk, this.to);
    this.to += chunk.length;
    this.bytes.fill(LINE_FEED, this.to, this.to + LINE_FEEDS_AFTER);
  }

  /** Marks everything before `at` as read. */
  settle(at: number): void {
    this.from = at;
  }

  /** Marks everything as read, and bytes up to offset `offset` of the source, which need not be appended. */
  skipTo(offset: number): void {
    this.#offset = offset;
    this.from = 0;
    this.to = 0;
  }

  /** Frees the memory, which must be its own. */
  release(): void {
    releaseMemory(this.bytes);
  }

  /** Moves unread bytes to the front, of larger memory if they fill half: then with room for a longer rest. */
  #makeRoom(length: number): void {
    const rest = this.to - this.from;
    const wanted = (rest + length + LINE_FEEDS_AFTER) * 2;
    const isTight = wanted > this.bytes.length;
    const roomy = isTight
      ? Buffer.alloc(Math.max(1.25 * wanted, this.bytes.length * 2))
      : this.bytes;
    this.#moveRest(roomy);
  }

  /** Moves unread bytes to the front when that is cheap, so that the memory stays in the cache. */
  #returnToFront(): void {
    const rest = this.to - this.from;
    if (this.from >= rest) this.#moveRest(this.bytes);
  }

  #moveRest(memory: Buffer): void {
    memory.set(this.bytes.subarray(this.from, this.to));
    this.bytes = memory;
    this.#offset += this.from;
    this.to -= this.from;
    this.from = 0;
  }
}
