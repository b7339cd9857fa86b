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
