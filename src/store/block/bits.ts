/** Bit-packed integers, least significant bit first, without alignment. */

import type { ByteReader } from "./byte-reader.ts";

/** Returns the bits that `value`, an integer from 0 to 2^53 - 1, needs; 0 for 0. */
export function bitLength(value: number): number {
  if (value <= 0xffffffff) return 32 - Math.clz32(value);
  return 64 - Math.clz32(Math.floor(value / 2 ** 32));
}

/** Returns the bytes of `count` values of `width` bits. */
export function bytesOfBits(count: number, width: number): number {
  return Math.ceil((count * width) / 8);
}

/**
 * Fills `bytes` with the lowest `width` (1 to 32) bits of each value minus `base`.
 */
export function packBits(
  bytes: Uint8Array,
  values: Float64Array,
  { base, width }: { readonly base: number; readonly width: number },
): void {
  const mask = 0xffffffff >>> (32 - width);
  let [bits, filled, at] = [0, 0, 0];
  for (let index = 0; index < values.length; index++) {
    const low = ((values[index] as number) - base) & mask;
    bits |= low << filled;
    filled += width;
    if (filled < 32) continue;
    bytes[at] = bits;
    bytes[at + 1] = bits >>> 8;
    bytes[at + 2] = bits >>> 16;
    bytes[at + 3] = bits >>> 24;
    at += 4;
    filled -= 32;
    bits = filled === 0 ? 0 : low >>> (width - filled);
  }
  for (; filled > 0; filled -= 8) {
    bytes[at++] = bits;
    bits >>>= 8;
  }
}

/** Reads bit-packed values; `end` skips to the next byte. */
export class BitReader {
  readonly #reader: ByteReader;
  #bits = 0;
  #filled = 0;

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  read(width: number): number {
    let [value, scale, left] = [0, 1, width];
    while (left > 24) {
      value += this.#take(16) * scale;
      scale *= 0x10000;
      left -= 16;
    }
    return value + this.#take(left) * scale;
  }

  end(): void {
    this.#bits = 0;
    this.#filled = 0;
  }

  #take(width: number): number {
    while (this.#filled < width) {
      this.#bits |= this.#reader.byte() << this.#filled;
      this.#filled += 8;
    }
    const value = this.#bits & ((1 << width) - 1);
    this.#bits = (this.#bits >>> width) | 0;
    this.#filled -= width;
    return value;
  }
}
