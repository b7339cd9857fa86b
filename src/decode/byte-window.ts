/**
 * The bytes of a source between the last whole record and the end of what has arrived. Pieces are
 * looked at where they lie; only a record that spans two pieces is copied.
 */
export class ByteWindow {
  /** Bytes to be read: `[from, to)` of `bytes`. Replaced by `append`; positions do not survive it. */
  bytes: Uint8Array = new Uint8Array(0);
  from = 0;
  to = 0;
  /** Offset in the source of `bytes[0]`. */
  #offset = 0;

  /** Offset in the source of position `at` of `bytes`. */
  offsetOf(at: number): number {
    return this.#offset + at;
  }

  /** Adds the next piece behind what has not been read. */
  append(piece: Uint8Array): void {
    const rest = this.to - this.from;
    this.#offset += this.from;
    if (rest === 0) {
      this.bytes = piece;
    } else {
      const joined = new Uint8Array(rest + piece.length);
      joined.set(this.bytes.subarray(this.from, this.to));
      joined.set(piece, rest);
      this.bytes = joined;
    }
    this.from = 0;
    this.to = rest + piece.length;
  }

  /**
   * Takes everything before position `at` of `bytes` as read and copies the rest, so that whoever
   * gave the piece may use its memory again.
   */
  settle(at: number): void {
    this.#offset += at;
    this.bytes = this.bytes.slice(at, this.to);
    this.from = 0;
    this.to = this.bytes.length;
  }
}
