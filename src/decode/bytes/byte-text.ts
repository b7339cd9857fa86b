const FIRST_BYTES = 1024;

/** Bytes that are put together piece by piece, in memory that is used again and again. */
export class ByteText {
  /** What was put together is at `[0, length)`. */
  bytes = new Uint8Array(FIRST_BYTES);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** Appends what is at `[from, to)` of `source`, which is not this text. */
  append(source: Uint8Array, from: number, to: number): void {
    const start = this.length;
    this.length = start + (to - from);
    if (this.length > this.bytes.length) this.#grow();
    const { bytes } = this;
    // Pieces are mostly so short that a loop is faster than `set` of a `subarray`.
    for (let at = from, ownAt = start; at < to; at++, ownAt++) bytes[ownAt] = source[at] as number;
  }

  /** Whether it is what is at `[from, to)` of `other`. */
  equals(other: Uint8Array, from: number, to: number): boolean {
    if (this.length !== to - from) return false;
    const { bytes } = this;
    for (let at = from, own = 0; at < to; at++, own++) if (bytes[own] !== other[at]) return false;
    return true;
  }

  #grow(): void {
    const larger = new Uint8Array(this.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
