/**
 * Four bytes at once. A word is an integer of 32 bits that holds the first of them in its lowest
 * byte, as `DataView.getInt32(at, true)` reads it.
 */

const ONES = 0x01_01_01_01;
const LOW_BITS = 0x7f_7f_7f_7f;
const HIGH_BITS = 0x80_80_80_80 | 0;
const ZERO_DIGITS = 0x30_30_30_30;
/** Added to a byte, reaches its high bit from 10 on. */
const BEYOND_NINE = 0x76_76_76_76;

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The word of four bytes like this one. */
export function repeated(byte: number): number {
  return Math.imul(byte, ONES);
}

/** Marks the bytes in which a word is like the other: their high bits, and no other bit. */
export function equalBytes(word: number, other: number): number {
  const difference = word ^ other;
  return ~(((difference & LOW_BITS) + LOW_BITS) | difference | LOW_BITS);
}

/** How many bytes are marked. */
export function countOf(marks: number): number {
  return Math.imul(marks >>> 7, ONES) >>> 24;
}

/** Bits in front of the first marked byte; there is one. */
export function bitsBefore(marks: number): number {
  return 24 - Math.clz32(marks & -marks);
}

/** The lowest `bits` of a word, fewer than all. */
export function lowBits(word: number, bits: number): number {
  return word & ~(-1 << bits);
}

/** The values of four bytes, each of them 0 to 9 if they are digits: see `areDigits`. */
export function digitsOf(word: number): number {
  return word ^ ZERO_DIGITS;
}

/** Whether `digitsOf` has given four digits. */
export function areDigits(digits: number): boolean {
  return (((digits + BEYOND_NINE) | digits) & HIGH_BITS) === 0;
}

/** The number that the first two of four digits write. */
export function twoDigits(digits: number): number {
  return (digits * 10 + (digits >>> 8)) & 0xff;
}

/** The number that four digits write. */
export function fourDigits(digits: number): number {
  const pairs = (digits * 10 + (digits >>> 8)) & 0x00_ff_00_ff;
  return (pairs & 0xff) * 100 + (pairs >>> 16);
}

/**
 * Whether the bytes at `[from, to)` stand at `again` too. Three bytes behind both of them have to be
 * there, whatever they are.
 */
export function areRepeated(view: DataView, from: number, to: number, again: number): boolean {
  const distance = again - from;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    if (view.getInt32(at, true) !== view.getInt32(at + distance, true)) return false;
  }
  if (at >= to) return true;
  const difference = view.getInt32(at, true) ^ view.getInt32(at + distance, true);
  return lowBits(difference, (to - at) * 8) === 0;
}
