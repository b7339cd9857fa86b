import { viewOf } from "../bytes/byte-table.ts";

/** Bytes that are not a Protocol Buffers message. */
export class ProtoError extends Error {}

/** Wire types. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

const WIRE_BITS = 7;
const VARINT_BITS = 70n;
const SCALE_LIMIT = 2 ** 70;

/** Reads the fields of Protocol Buffers messages in place. Throws `ProtoError`. */
export class ProtoReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Next byte, and the end of the current message. */
  at = 0;
  to: number;
  /** Bounds of the last `range`. */
  from = 0;
  until = 0;
  #wire = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.to = bytes.length;
  }

  /** Number of the next field; 0 at the end of the message. */
  field(): number {
    if (this.at >= this.to) return 0;
    const tag = this.varint();
    this.#wire = tag & WIRE_BITS;
    const field = Math.floor(tag / (WIRE_BITS + 1));
    if (field === 0) throw new ProtoError("a field has the number 0");
    return field;
  }

  /** Whether the field has a length, such as a packed list. */
  get isRange(): boolean {
    return this.#wire === LENGTH;
  }

  /** An unsigned number of up to 64 bits; inexact above 2^53. */
  varint(): number {
    const { bytes, at } = this;
    const first = bytes[at] as number;
    if (at < this.to && first < 0x80) {
      this.at += 1;
      return first;
    }
    return this.#longVarint();
  }

  /** The same, exact. */
  wideVarint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < VARINT_BITS; shift += 7n) {
      if (this.at >= this.to) throw new ProtoError("a number ends early");
      const byte = this.bytes[this.at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new ProtoError("a number has more than 10 bytes");
  }

  /** Position of 8 bytes, which are passed over. */
  fixed64(): number {
    return this.#fixed(FIXED64, 8);
  }

  /** Passes over a value with a length, and leaves its bounds in `from` and `until`. */
  range(): void {
    if (this.#wire !== LENGTH) throw new ProtoError("a field has another type than expected");
    const length = this.varint();
    if (length > this.to - this.at) throw new ProtoError("a field ends beyond its message");
    this.from = this.at;
    this.at += length;
    this.until = this.at;
  }

  /** Begins the message of the field. Returns the end of the current one, for `leave`. */
  enter(): number {
    this.range();
    const { to } = this;
    this.at = this.from;
    this.to = this.until;
    return to;
  }

  /** Goes on behind the message that ended, in the one that ends at `to`. */
  leave(to: number): void {
    this.at = this.to;
    this.to = to;
  }

  skip(): void {
    if (this.#wire === VARINT) this.varint();
    else if (this.#wire === FIXED64) this.fixed64();
    else if (this.#wire === LENGTH) this.range();
    else this.#fixed(FIXED32, 4);
  }

  /** Whether the field is a number of variable length; otherwise it is to be skipped. */
  get isVarint(): boolean {
    return this.#wire === VARINT;
  }

  #longVarint(): number {
    let value = 0;
    for (let scale = 1; scale < SCALE_LIMIT; scale *= 0x80) {
      if (this.at >= this.to) throw new ProtoError("a number ends early");
      const byte = this.bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new ProtoError("a number has more than 10 bytes");
  }

  #fixed(wire: number, length: number): number {
    if (this.#wire !== wire) throw new ProtoError("a field has another type than expected");
    const { at } = this;
    if (length > this.to - at) throw new ProtoError("a field ends beyond its message");
    this.at += length;
    return at;
  }
}
