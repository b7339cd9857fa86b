import type { ByteText } from "./byte-text.ts";
import { appendId, foldSegment } from "./fold-segment.ts";

const SLASH = 0x2f;
const QUESTION = 0x3f;
const HASH = 0x23;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const SEMICOLON = 0x3b;
const COLON = 0x3a;

/**
 * Where the path of a URL begins at `[from, to)`, which holds no blanks: behind `://host`, at the
 * slash that it begins with, or behind `//host`; `to` where there is nothing behind the host.
 * `undefined` where it is no URL.
 */
export function pathStart(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (bytes[from] === SLASH) {
    return bytes[from + 1] === SLASH && from + 1 < to ? hostEnd(bytes, from + 2, to) : from;
  }
  for (let at = from; at + 2 < to; at++) {
    const byte = bytes[at];
    if (byte === QUESTION || byte === HASH) return undefined;
    if (byte === COLON && bytes[at + 1] === SLASH && bytes[at + 2] === SLASH) {
      return hostEnd(bytes, at + 3, to);
    }
  }
  return undefined;
}

/** Appends path, query and fragment at `[from, to)` with `{id}` for ids and for all values. */
export function foldPath(bytes: Uint8Array, from: number, to: number, out: ByteText): void {
  let at = from;
  while (at < to) {
    const byte = bytes[at] as number;
    if (byte === QUESTION) at = foldQuery(bytes, at, to, out);
    else if (byte === SLASH || byte === HASH) {
      out.append(bytes, at, at + 1);
      at += 1;
    } else if (byte === SEMICOLON) at = foldPair(bytes, at, to, out);
    else {
      const end = endOf(bytes, at, to, isSegmentEnd);
      foldSegment(bytes, at, end, out);
      at = end;
    }
  }
}

function hostEnd(bytes: Uint8Array, from: number, to: number): number {
  return endOf(bytes, from, to, isHostEnd);
}

/** Appends what begins with the question mark at `from`; returns where it ends. */
function foldQuery(bytes: Uint8Array, from: number, to: number, out: ByteText): number {
  let at = from;
  // Where the pair in front begins in `out`, its separator included.
  let before = out.length;
  while (at < to && bytes[at] !== HASH) {
    const start = out.length;
    at = foldPair(bytes, at, to, out);
    if (isRepeated(out, before, start)) out.length = start;
    else before = start;
  }
  return at;
}

/**
 * Appends a pair of name and value with the separator at `from`. A value that is there becomes an
 * id; what has no value is looked at as a segment of a path is.
 */
function foldPair(bytes: Uint8Array, from: number, to: number, out: ByteText): number {
  const isInPath = bytes[from] === SEMICOLON;
  const end = endOf(bytes, from + 1, to, isInPath ? isSegmentEnd : isPairEnd);
  out.append(bytes, from, from + 1);
  let equals = from + 1;
  while (equals < end && bytes[equals] !== EQUALS) equals += 1;
  if (equals === end) foldSegment(bytes, from + 1, end, out);
  else {
    out.append(bytes, from + 1, equals + 1);
    if (equals + 1 < end) appendId(out);
  }
  return end;
}

/** Whether the pair from `start` on says the same as the one between `before` and it. */
function isRepeated({ bytes, length }: ByteText, before: number, start: number): boolean {
  const size = length - start;
  if (start - before !== size || bytes[length - 1] !== 0x7d) return false;
  for (let at = 1; at < size; at++) if (bytes[before + at] !== bytes[start + at]) return false;
  return true;
}

type Test = (byte: number) => boolean;

function endOf(bytes: Uint8Array, from: number, to: number, isEnd: Test): number {
  let at = from;
  while (at < to && !isEnd(bytes[at] as number)) at += 1;
  return at;
}

const isHostEnd: Test = (byte) => byte === SLASH || byte === QUESTION || byte === HASH;
const isSegmentEnd: Test = (byte) => isHostEnd(byte) || byte === SEMICOLON;
const isPairEnd: Test = (byte) => byte === AMPERSAND || byte === HASH;
