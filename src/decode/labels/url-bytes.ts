import { PERCENT } from "../bytes/ascii.ts";
import { grown } from "../../model/columns.ts";

export const DIGIT = 1;

/** ASCII letters; `HEX` is set as well for hexadecimal digits. */
export const LOWER = 2;

export const UPPER = 4;

export const HEX = 8;

/** Part of a non-ASCII letter. */
export const FOREIGN = 16;

/** Other ASCII: between words. */
export const SEPARATOR = 32;

/** Separators that end a path segment: `/ ? # ;` and blank. */
export const SEGMENT_END = 64;

/** Separators that end a query pair: `& #` and blank. */
export const PAIR_END = 128;

/** Classes by byte. */
export const KINDS: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));

const FIRST_BYTES = 1024;

function kindOf(byte: number): number {
  if (byte >= 0x80) return FOREIGN;
  const character = String.fromCharCode(byte);
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[a-z]/.test(character)) return character <= "f" ? LOWER | HEX : LOWER;
  if (/[A-Z]/.test(character)) return character <= "F" ? UPPER | HEX : UPPER;
  const endsSegment = /[/?#; ]/.test(character) ? SEGMENT_END : 0;
  return SEPARATOR | endsSegment | (/[&# ]/.test(character) ? PAIR_END : 0);
}

export function isHex(byte: number | undefined): boolean {
  return byte !== undefined && ((KINDS[byte] as number) & (DIGIT | HEX)) !== 0;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && KINDS[byte] === DIGIT;
}

export function isSeparator(byte: number): boolean {
  return ((KINDS[byte] as number) & SEPARATOR) !== 0;
}

/** Whether an escape `%XX` stands at `at`. */
export function isEscape(bytes: Uint8Array, at: number, to: number): boolean {
  return bytes[at] === PERCENT && at + 2 < to && isHex(bytes[at + 1]) && isHex(bytes[at + 2]);
}

/** Whether the escape at `at` is non-ASCII. */
export function isForeignEscape(bytes: Uint8Array, at: number): boolean {
  return (bytes[at + 1] as number) > 0x37;
}

/** A reused byte buffer. */
export class ByteText {
  /** Contents are `[0, length)`. */
  bytes: Uint8Array = new Uint8Array(FIRST_BYTES);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** `source` must be another buffer. */
  append(source: Uint8Array, from: number, to: number): void {
    const start = this.length;
    this.length = start + (to - from);
    if (this.length > this.bytes.length) this.bytes = grown(this.bytes, this.length);
    const { bytes } = this;
    // Chunks are so short that a loop is faster than `set`.
    for (let at = from, ownAt = start; at < to; at++, ownAt++) bytes[ownAt] = source[at] as number;
  }

  equals(other: Uint8Array, from: number, to: number): boolean {
    if (this.length !== to - from) return false;
    const { bytes } = this;
    for (let at = from, own = 0; at < to; at++, own++) if (bytes[own] !== other[at]) return false;
    return true;
  }
}
