import { grown } from "../../model/columns.ts";
import { HYPHEN, OPEN_BRACE, PERCENT, UNDERSCORE } from "../bytes/ascii.ts";

const HASH_BYTES_MIN = 7;
const LONG_HASH_BYTES_MIN = 16;
const OPAQUE_BYTES_MIN = 20;
/** Digits before the letters of `20261122T101530Z` and `1763792000s`. */
const TIME_DIGITS_MIN = 10;
const TIME_LETTERS_MAX = 2;
/** Digits that may end a word of any length. */
const WORD_DIGITS_MAX = 4;

const UUID_BYTES = 36;
const DATE_BYTES = 10;

/** Whether letters and digits are an id: hexadecimal, a time, or 20 and more of both. */
export function isOpaqueWord(bytes: Uint8Array, from: number, to: number): boolean {
  const length = to - from;
  if (length < HASH_BYTES_MIN) return false;
  let digits = 0;
  let hexDigits = 0;
  for (let at = from; at < to; at++) {
    const kind = KINDS[bytes[at] as number] as number;
    if (kind === DIGIT) digits += 1;
    if ((kind & (DIGIT | HEX)) !== 0) hexDigits += 1;
  }
  if (hexDigits === length) return digits > 0 || length >= LONG_HASH_BYTES_MIN;
  if (digits >= TIME_DIGITS_MIN && length - digits <= TIME_LETTERS_MAX) return true;
  if (length < OPAQUE_BYTES_MIN) return false;
  if (digits > 0 && !isNumberedWord(bytes, from, to, digits)) return true;
  return changesOf(bytes, from, to) * 5 >= length * 2;
}

/** End of URL-safe base64 at `from`, if any: words with hyphens change between cases and digits less often. */
export function base64End(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (to - from < OPAQUE_BYTES_MIN) return undefined;
  let hasDigit = false;
  let end = from;
  for (; end < to; end++) {
    const byte = bytes[end] as number;
    const kind = KINDS[byte] as number;
    if (kind === DIGIT) hasDigit = true;
    else if ((kind & (LOWER | UPPER)) === 0 && byte !== HYPHEN && byte !== UNDERSCORE) break;
  }
  const length = end - from;
  if (length < OPAQUE_BYTES_MIN || (end < to && goesOn(bytes[end] as number))) return undefined;
  return changesOf(bytes, from, end) * 10 >= length * (hasDigit ? 3 : 4) ? end : undefined;
}

/** Whether a byte continues a word: a letter or a folded id. */
function goesOn(byte: number): boolean {
  return KINDS[byte] === FOREIGN || byte === OPEN_BRACE;
}

export function uuidEnd(bytes: Uint8Array, from: number, to: number): number | undefined {
  const end = from + UUID_BYTES;
  if (end > to) return undefined;
  for (let at = from; at < end; at++) {
    const place = at - from;
    const isHyphen = place === 8 || place === 13 || place === 18 || place === 23;
    if (isHyphen ? bytes[at] !== HYPHEN : !isHex(bytes[at])) return undefined;
  }
  return endsWord(bytes, end, to) ? end : undefined;
}

/** End of a date at `from`, with an optional time, or `undefined`. */
export function dateEnd(bytes: Uint8Array, from: number, to: number): number | undefined {
  const end = from + DATE_BYTES;
  if (end > to) return undefined;
  for (let at = from; at < end; at++) {
    const place = at - from;
    const isHyphen = place === 4 || place === 7;
    if (isHyphen ? bytes[at] !== HYPHEN : !isDigit(bytes[at])) return undefined;
  }
  if (endsWord(bytes, end, to)) return end;
  const isTime = ((bytes[end] as number) | 0x20) === 0x74 && isDigit(bytes[end + 1]);
  return isTime ? timeEnd(bytes, end + 1, to) : undefined;
}

/** `10:15:30.123Z`, `10%3A15`, `10:15+01:00`. */
function timeEnd(bytes: Uint8Array, from: number, to: number): number | undefined {
  let at = from;
  while (at < to) {
    const byte = bytes[at] as number;
    if (isDigit(byte) || byte === 0x3a || byte === 0x2b || byte === HYPHEN) at += 1;
    else if (byte === 0x2e && isDigit(bytes[at + 1])) at += 1;
    else if (isEscapedColonOrPlus(bytes, at, to)) at += 3;
    else break;
  }
  if (at < to && ((bytes[at] as number) | 0x20) === 0x7a) at += 1;
  return endsWord(bytes, at, to) ? at : undefined;
}

function isEscapedColonOrPlus(bytes: Uint8Array, at: number, to: number): boolean {
  if (bytes[at] !== 0x25 || at + 2 >= to) return false;
  const low = (bytes[at + 2] as number) | 0x20;
  return (bytes[at + 1] === 0x33 && low === 0x61) || (bytes[at + 1] === 0x32 && low === 0x62);
}

function endsWord(bytes: Uint8Array, at: number, to: number): boolean {
  if (at >= to) return true;
  return ((KINDS[bytes[at] as number] as number) & (DIGIT | LOWER | UPPER)) === 0;
}

/** Letters followed by a few digits: `internationalization2`. */
function isNumberedWord(bytes: Uint8Array, from: number, to: number, digits: number): boolean {
  if (digits > WORD_DIGITS_MAX) return false;
  for (let at = to - digits; at < to; at++) if (!isDigit(bytes[at])) return false;
  return from < to - digits;
}

/** Changes between lower case, upper case and digits. */
function changesOf(bytes: Uint8Array, from: number, to: number): number {
  const kinds = DIGIT | LOWER | UPPER;
  let changes = 0;
  let before = 0;
  for (let at = from; at < to; at++) {
    const kind = (KINDS[bytes[at] as number] as number) & kinds;
    if (kind !== before && kind !== 0 && before !== 0) changes += 1;
    before = kind;
  }
  return changes;
}

export const DIGIT = 1;

/** ASCII letters; `HEX` is set as well for hexadecimal digits. */
export const LOWER = 2;

export const UPPER = 4;

const HEX = 8;

/** Part of a non-ASCII letter. */
export const FOREIGN = 16;

/** Other ASCII: between words. */
export const SEPARATOR = 32;

/** Separators that end a path segment: `/ ? # ;` and blank. */
export const SEGMENT_END = 64;

/** Separators that end a query pair: `& #` and blank. */
export const PAIR_END = 128;

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

function isHex(byte: number | undefined): boolean {
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
