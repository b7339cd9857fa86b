import { COLON, POINT } from "../bytes/ascii.ts";
import {
  type ByteText,
  DIGIT,
  FOREIGN,
  isDigit,
  isEscape,
  isForeignEscape,
  isSeparator,
  KINDS,
  LOWER,
  SEPARATOR,
  UPPER,
} from "./url-bytes.ts";
import { base64End, dateEnd, isOpaqueWord, uuidEnd } from "./opaque-word.ts";

const ID: Uint8Array = new TextEncoder().encode("{id}");

/** Digits of an id between separators; at the end of a word, more. */
const NUMBER_DIGITS_MIN = 4;
const GLUED_DIGITS_MIN = 5;
/** After `( = ' [` any number is an id. */
const BEFORE_IDS: ReadonlySet<number> = new Set([0x28, 0x3d, 0x27, 0x5b]);
/** Separators within numbers: `- . , : + _`. */
const WITHIN_NUMBERS: ReadonlySet<number> = new Set([0x2d, POINT, 0x2c, COLON, 0x2b, 0x5f]);

/** Hyphens and underscores are base64; a closing brace ends a folded id. */
const WITHIN_BASE64: ReadonlySet<number> = new Set([0x2d, 0x5f, 0x7d]);

/** Appends the path segment `[from, to)` with ids as `{id}`. */
export function foldSegment(bytes: Uint8Array, from: number, to: number, out: ByteText): void {
  if (isNumber(bytes, from, to)) appendId(out);
  else foldWords(bytes, from, to, out);
}

export function appendId(out: ByteText): void {
  out.append(ID, 0, ID.length);
}

/** Digits with separators of numbers; `1.0` and `2.13.1` are versions. */
function isNumber(bytes: Uint8Array, from: number, to: number): boolean {
  let digits = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (isDigit(byte)) digits += 1;
    else if (!WITHIN_NUMBERS.has(byte)) return false;
  }
  return digits > 0 && !isVersion(bytes, from, to);
}

/** A digit, and one or two groups of a point and one or two digits. */
function isVersion(bytes: Uint8Array, from: number, to: number): boolean {
  if (!isDigit(bytes[from])) return false;
  let at = from + 1;
  let parts = 0;
  while (at + 1 < to && bytes[at] === POINT && isDigit(bytes[at + 1])) {
    at += at + 2 < to && isDigit(bytes[at + 2]) ? 3 : 2;
    parts += 1;
  }
  return at === to && (parts === 1 || parts === 2);
}

/** Folds ids among the words of a segment. */
function foldWords(bytes: Uint8Array, from: number, to: number, out: ByteText): void {
  let at = from;
  // Whether no base64 text continues here.
  let isFresh = true;
  while (at < to) {
    const length = separatorLength(bytes, at, to);
    const mayBegin = length === 0 || at === from;
    const idEnd: number | undefined = mayBegin ? idEndOf(bytes, at, to, isFresh) : undefined;
    if (idEnd !== undefined) {
      appendId(out);
      at = idEnd;
    } else if (length > 0) {
      out.append(bytes, at, at + length);
      at += length;
    } else {
      at = foldWord(bytes, [from, at, to], out);
    }
    isFresh = idEnd === undefined && length > 0 && !WITHIN_BASE64.has(bytes[at - 1] as number);
  }
}

/** End of an id at `at` that may contain separators. */
function idEndOf(bytes: Uint8Array, at: number, to: number, isFresh: boolean): number | undefined {
  const end = uuidEnd(bytes, at, to) ?? dateEnd(bytes, at, to);
  return end ?? (isFresh ? base64End(bytes, at, to) : undefined);
}

/** Length of the separator at `at`, including ASCII escapes; 0 for a word. */
function separatorLength(bytes: Uint8Array, at: number, to: number): number {
  if (!isSeparator(bytes[at] as number)) return 0;
  if (!isEscape(bytes, at, to)) return 1;
  return isForeignEscape(bytes, at) ? 0 : 3;
}

/** Appends the word at `at`; returns its end. */
function foldWord(
  bytes: Uint8Array,
  [from, at, to]: readonly [number, number, number],
  out: ByteText,
): number {
  let end = at;
  let digitsFrom = at;
  let kinds = 0;
  while (end < to) {
    const kind = KINDS[bytes[end] as number] as number;
    if ((kind & SEPARATOR) !== 0) {
      if (separatorLength(bytes, end, to) > 0) break;
      kinds |= FOREIGN;
      end += 3;
      digitsFrom = end;
    } else {
      kinds |= kind;
      end += 1;
      if (kind !== DIGIT) digitsFrom = end;
    }
  }
  const digits = end - digitsFrom;
  if (kinds === DIGIT) {
    if (digits >= NUMBER_DIGITS_MIN || isMarked(bytes, [from, at, to], end)) appendId(out);
    else out.append(bytes, at, end);
  } else if ((kinds & FOREIGN) === 0 && isOpaqueWord(bytes, at, end)) {
    appendId(out);
  } else if (digits >= GLUED_DIGITS_MIN) {
    out.append(bytes, at, digitsFrom);
    appendId(out);
  } else {
    out.append(bytes, at, end);
  }
  return end;
}

/** Whether a number is an id by context: `Products(7)`, `7.json`, `7:cancel`. */
function isMarked(
  bytes: Uint8Array,
  [from, at, to]: readonly [number, number, number],
  end: number,
): boolean {
  if (at > from) return BEFORE_IDS.has(bytes[at - 1] as number);
  if (end + 1 >= to || (bytes[end] !== POINT && bytes[end] !== COLON)) return false;
  return ((KINDS[bytes[end + 1] as number] as number) & (LOWER | UPPER)) !== 0;
}
