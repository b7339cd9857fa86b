const LINE_FEED = 0x0a;
/** Enough to read 13 digits of a timestamp and the byte behind them. */
const LINE_FEEDS_BEHIND = 16;
const FIRST_BYTES = 64 * 1024;

/**
 * The bytes of a source between the last whole record and the end of what has arrived, in memory of
 * its own: whoever gave a piece may use its memory again at once. However small the pieces are, a
 * byte is copied a bounded number of times.
 */
export class ByteWindow {
  /**
   * Bytes to be read: `[from, to)` of `bytes`. Positions do not survive `append`. A `Buffer`, whose
   * `indexOf` is 25 times as fast as that of a `Uint8Array`. Behind `to` there are 16 line feeds, so
   * that whoever stops at one need not look for the end.
   */
  bytes: Buffer;
  from = 0;
  to = 0;
  /** Offset in the source of `bytes[0]`. */
  #offset = 0;
  readonly #isFixed: boolean;

  /**
   * `memory` is used as long as the window lasts, and has to be large enough: for four times what
   * is not read and what is added, at most.
   */
  constructor(memory?: Buffer) {
    this.#isFixed = memory !== undefined;
    this.bytes = memory ?? Buffer.alloc(FIRST_BYTES, LINE_FEED);
  }

  /** Offset in the source of position `at` of `bytes`. */
  offsetOf(at: number): number {
    return this.#offset + at;
  }

  /** Adds the next piece behind what has not been read. */
  append(piece: Uint8Array): void {
    const wanted = this.to + piece.length + LINE_FEEDS_BEHIND;
    if (this.#isFixed) this.#returnToFront();
    else if (wanted > this.bytes.length) this.#makeRoom(piece.length);
    this.bytes.set(piece, this.to);
    this.to += piece.length;
    this.bytes.fill(LINE_FEED, this.to, this.to + LINE_FEEDS_BEHIND);
  }

  /** Takes everything before position `at` of `bytes` as read. */
  settle(at: number): void {
    this.from = at;
  }

  /** Moves what has not been read to the front, of larger memory where that is half of it or more. */
  #makeRoom(length: number): void {
    const rest = this.to - this.from;
    const wanted = (rest + length + LINE_FEEDS_BEHIND) * 2;
    const isTight = wanted > this.bytes.length;
    const roomy = isTight ? Buffer.alloc(Math.max(wanted, this.bytes.length * 2)) : this.bytes;
    this.#moveRest(roomy);
  }

  /** Uses the same memory again as soon as that is cheap, so that it stays in the cache. */
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
