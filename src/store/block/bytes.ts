export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#bytes[this.#length] = value;
    this.#bytes[this.#length + 1] = value >>> 8;
    this.#bytes[this.#length + 2] = value >>> 16;
    this.#bytes[this.#length + 3] = value >>> 24;
    this.#length += 4;
  }

  /** Writes an integer from 0 to 2^53 - 1 as LEB128. */
  varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest = rest <= 0x7fffffff ? rest >>> 7 : Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  bytes(bytes: Uint8Array): void {
    this.claim(bytes.length).set(bytes);
  }

  /** Returns the next `count` bytes, to be overwritten completely before the next write. */
  claim(count: number): Uint8Array {
    this.#reserve(count);
    this.#length += count;
    return this.#bytes.subarray(this.#length - count, this.#length);
  }

  /** Discards everything after the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Returns the written bytes: a view that the next write may invalidate. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    const wanted = this.#length + count;
    if (wanted <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(wanted, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Reads the output of `ByteWriter`. Reading past the end throws a `RangeError`. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Offset of the next byte. */
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  byte(): number {
    return this.view.getUint8(this.at++);
  }

  uint32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const next = this.byte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
    }
  }

  /** Returns the next `count` bytes as a view. */
  take(count: number): Uint8Array {
    this.at += count;
    if (this.at > this.bytes.length) throw new RangeError("unexpected end of data");
    return this.bytes.subarray(this.at - count, this.at);
  }
}
