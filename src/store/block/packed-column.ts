/**
 * A column of integers in few bits each: the minimum is subtracted, the low bits of all values are packed,
 * and the remaining bits of the few larger values are listed as exceptions (docs/internals/formats/block.md,
 * "Packed column").
 */

import type { IndexRange } from "../series.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";

const WIDTH_MASK = 0x3f;
const WIDTH_MAX = 32;
const HAS_EXCEPTIONS = 0x40;
const BASE_IS_NEGATIVE = 0x80;

/**
 * Writes `values`: integers up to 2^53 - 1 that differ by no more than that. Their number is not written; an
 * empty column has no bytes.
 */
export function writePacked(writer: ByteWriter, values: Float64Array): void {
  if (values.length === 0) return;
  const { least: base, most } = extremesOf(values);
  const ofLength = countBitLengths(values, base, bitLength(most - base));
  const width = cheapestWidth(values.length, ofLength);
  const exceptions = ofLength.subarray(width + 1).reduce((sum, count) => sum + count, 0);
  const flags = (exceptions > 0 ? HAS_EXCEPTIONS : 0) | (base < 0 ? BASE_IS_NEGATIVE : 0);
  writer.byte(width | flags);
  writer.varint(Math.abs(base));
  if (exceptions > 0) {
    writer.varint(exceptions);
    writeExceptions(writer, 2 ** width, base, values);
  }
  if (width === 0) return;
  packBits(writer.claim(bytesOfBits(values.length, width)), values, { base, width });
}

function writeExceptions(
  writer: ByteWriter,
  scale: number,
  base: number,
  values: Float64Array,
): void {
  let next = 0;
  for (let index = 0; index < values.length; index++) {
    const distance = (values[index] as number) - base;
    if (distance < scale) continue;
    writer.varint(index - next);
    writer.varint(Math.floor(distance / scale));
    next = index + 1;
  }
}

/** Reads a column of `count` values. The reader must have at least four more bytes after it. */
export function readPacked(reader: ByteReader, count: number): Float64Array {
  const values = new Float64Array(count);
  unpack(reader, { values, from: 0, until: count });
  return values;
}

/** Target range of a column, half open. */
export interface Place extends IndexRange {
  readonly values: Float64Array;
}

/** Reads into an existing array: allocating one takes longer than reading a column. */
export function unpack(reader: ByteReader, place: Place): void {
  if (place.from === place.until) return;
  const head = reader.byte();
  const width = head & WIDTH_MASK;
  const distance = reader.varint();
  const base = head & BASE_IS_NEGATIVE ? -distance : distance;
  const exceptionsAt = reader.at;
  if (head & HAS_EXCEPTIONS) skipExceptions(reader);
  readBits(reader, width, base, place);
  if (head & HAS_EXCEPTIONS) {
    const end = reader.at;
    reader.at = exceptionsAt;
    addExceptions(reader, 2 ** width, place);
    reader.at = end;
  }
}

/** Up to this width, a value lies within four bytes at any bit offset. */
const WIDTH_IN_WORD_MAX = 25;

function readBits(
  reader: ByteReader,
  width: number,
  base: number,
  { values, from, until }: Place,
): void {
  const { view, at: start } = reader;
  reader.take(Math.ceil(((until - from) * width) / 8));
  if (width === 0) {
    values.fill(base, from, until);
  } else if (width <= WIDTH_IN_WORD_MAX) {
    const mask = (1 << width) - 1;
    for (let index = from, bit = 0; index < until; index++, bit += width) {
      values[index] = ((view.getUint32(start + (bit >>> 3), true) >>> (bit & 7)) & mask) + base;
    }
  } else {
    const mask = width === WIDTH_MAX ? 0xffffffff : (1 << width) - 1;
    for (let index = from, bit = 0; index < until; index++, bit += width) {
      const at = start + (bit >>> 3);
      const shift = bit & 7;
      let low = view.getUint32(at, true) >>> shift;
      if (shift + width > 32) low |= view.getUint8(at + 4) << (32 - shift);
      values[index] = ((low & mask) >>> 0) + base;
    }
  }
}

function skipExceptions(reader: ByteReader): void {
  for (let left = 2 * reader.varint(); left > 0; left--) reader.varint();
}

function addExceptions(reader: ByteReader, scale: number, { values, from }: Place): void {
  let next = from;
  for (let left = reader.varint(); left > 0; left--) {
    const index = next + reader.varint();
    // Adding the multiple to low bits and base is exact: the value is at most 2^53 - 1.
    values[index] = (values[index] as number) + reader.varint() * scale;
    next = index + 1;
  }
}

/** Returns how many indexes are skipped before each of these, which ascend. */
export function skippedBefore(indexes: readonly number[]): Float64Array {
  return Float64Array.from(indexes, (index, at) => index - (indexes[at - 1] ?? -1) - 1);
}

/** Returns the start of each part, if consecutive from `first`, and the end. */
export function startsOf(lengths: Float64Array, first: number): Float64Array {
  const starts = new Float64Array(lengths.length + 1).fill(first);
  for (let index = 0; index < lengths.length; index++) {
    starts[index + 1] = (starts[index] as number) + (lengths[index] as number);
  }
  return starts;
}

function extremesOf(values: Float64Array): { readonly least: number; readonly most: number } {
  let least = values[0] as number;
  let most = least;
  for (let index = 1; index < values.length; index++) {
    const value = values[index] as number;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { least, most };
}

/** Returns how many values minus the base need each number of bits, up to `longest`. */
function countBitLengths(values: Float64Array, base: number, longest: number): Uint32Array {
  const ofLength = new Uint32Array(longest + 1);
  if (longest === 0) return ofLength;
  for (let index = 0; index < values.length; index++) {
    const length = bitLength((values[index] as number) - base);
    ofLength[length] = (ofLength[length] as number) + 1;
  }
  return ofLength;
}

/** Returns the width with the fewest bits in total; an exception costs two varints. */
function cheapestWidth(count: number, ofLength: Uint32Array): number {
  // A width above that of the longest value only adds bits.
  const widest = Math.min(WIDTH_MAX, ofLength.length - 1);
  let best = 0;
  let bestBits = Infinity;
  for (let width = 0; width <= widest; width++) {
    let bits = count * width;
    for (let length = width + 1; length < ofLength.length; length++) {
      bits += (ofLength[length] as number) * 8 * (1 + Math.ceil((length - width) / 7));
    }
    if (bits >= bestBits) continue;
    best = width;
    bestBits = bits;
  }
  return best;
}

/** Units of the average of a predicted column: finer ones would not shorten the distances. */
const SLOPE_UNITS = 256;

/**
 * Reads a column of sums predicted from request counts: the greatest common divisor is divided out (1,000 if a source measures
 * milliseconds), and each value is stored as its distance from requests times average (block.md, "Predicted column").
 */
export function readPredicted(reader: ByteReader, requests: Float64Array): Float64Array {
  const sums = new Float64Array(requests.length);
  unpackPredicted(reader, { values: sums, from: 0, until: sums.length }, requests);
  return sums;
}

/** Reads into an existing array; `requests` are at the same indexes of their own column. */
export function unpackPredicted(reader: ByteReader, place: Place, requests: Float64Array): void {
  const { values, from, until } = place;
  if (from === until) return;
  const factor = reader.varint();
  const slope = reader.varint();
  unpack(reader, place);
  for (let index = from; index < until; index++) {
    const units = (values[index] as number) + predict(requests[index] as number, slope);
    values[index] = units * factor;
  }
}

/** Deterministic: one product and one division by a power of two, each rounded per IEEE 754. */
function predict(requests: number, slope: number): number {
  return Math.floor((requests * slope) / SLOPE_UNITS);
}

/** Returns the bits that `value`, an integer from 0 to 2^53 - 1, needs; 0 for 0. */
export function bitLength(value: number): number {
  if (value <= 0xffffffff) return 32 - Math.clz32(value);
  return 64 - Math.clz32(Math.floor(value / 2 ** 32));
}

/** Returns the bytes of `count` values of `width` bits. */
function bytesOfBits(count: number, width: number): number {
  return Math.ceil((count * width) / 8);
}

/**
 * Fills `bytes` with the lowest `width` (1 to 32) bits of each value minus `base`.
 */
function packBits(
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
