import { isEqual } from "../bytes";
import { columnOf, FIRST_FACET, FURTHER_FACETS, THREAD_NAME } from "./columns";
import { FACETS, KIND_BYTES_MAX, KIND_KEY, WINDOW } from "./layout";
import { forgetTexts, learn, UNKNOWN, valueOf } from "./texts";

const SPACE: u8 = 0x20;
const HYPHEN: i8 = 0x2d;
const QUOTE: u8 = 0x22;
const ZERO: u32 = 0x30;

/** Returns the number of the facets in the row at a position of the window. */
declare function facetsOf(start: u32): u32;

/** Of rows without facets. */
const NONE: u32 = 0;

/** The last thread group, without further columns; no bytes: none. */
const LAST_BYTES: u32 = 256;
const LAST: u32 = <u32>memory.data(288);
let lastBytes: u32 = 0;
let lastFacets: u32 = NONE;

let keyAt: u32 = 0;
let keyBytes: u32 = 0;

/** Returns the number of the facets of a row: those of its thread group and of further columns. `ends`: its separators. */
export function facetsIn(start: u32, ends: u32): u32 {
  const further = columnOf(FURTHER_FACETS);
  if (further == 0) {
    if (columnOf(THREAD_NAME) < 0) return NONE;
    if (isOfLastGroup(fieldFrom(ends, THREAD_NAME), fieldTo(ends, THREAD_NAME))) return lastFacets;
  }
  if (!findKey(ends, further)) return facetsOf(start - WINDOW);
  let facets = valueOf(FACETS, keyAt, keyBytes);
  if (facets == UNKNOWN) {
    facets = facetsOf(start - WINDOW);
    learn(FACETS, keyAt, keyBytes, facets);
  }
  if (further == 0 && keyBytes <= LAST_BYTES) {
    memory.copy(LAST, keyAt, keyBytes);
    lastBytes = keyBytes;
    lastFacets = facets;
  }
  return facets;
}

/** Reports whether the thread name at `[from, to)` is the last group, a blank, digits, a hyphen and digits: mostly it is. */
function isOfLastGroup(from: u32, to: u32): bool {
  const rest = to - from - lastBytes - 1;
  const numbers = from + lastBytes + 1;
  if (lastBytes == 0 || rest > 16 || load<u8>(numbers - 1) != SPACE) return false;
  if (!isEqual(LAST, from, lastBytes)) return false;
  const text = v128.load(numbers);
  const all: u32 = (1 << rest) - 1;
  const hyphen = <u32>i8x16.bitmask(i8x16.eq(text, i8x16.splat(HYPHEN))) & all;
  const values = i8x16.sub(text, i8x16.splat(<i8>ZERO));
  const digits = <u32>i8x16.bitmask(i8x16.lt_u(values, i8x16.splat(10))) & all;
  const isInside = (hyphen & (1 | (1 << (rest - 1)))) == 0;
  return isInside && popcnt(hyphen) == 1 && (hyphen | digits) == all;
}

/** Clears the cache before a file with other columns. */
export function forgetFacets(): void {
  forgetTexts(FACETS);
  lastBytes = 0;
}

/** The thread group as written, in place; with further columns a copy of all, with their lengths. Returns false if they are too long. */
function findKey(ends: u32, further: u32): bool {
  const hasThread = columnOf(THREAD_NAME) >= 0;
  keyAt = hasThread ? fieldFrom(ends, THREAD_NAME) : KIND_KEY;
  keyBytes = hasThread ? groupBytes(keyAt, fieldTo(ends, THREAD_NAME)) : 0;
  if (further == 0) return true;
  const group = keyAt;
  const bytes = keyBytes;
  keyAt = KIND_KEY;
  keyBytes = 0;
  if (!addText(group, bytes)) return false;
  for (let each: u32 = 0; each < further; each++) {
    const from = fieldFrom(ends, FIRST_FACET + each);
    if (!addText(from, fieldTo(ends, FIRST_FACET + each) - from)) return false;
  }
  return true;
}

function addText(from: u32, length: u32): bool {
  if (keyBytes + 4 + length > KIND_BYTES_MAX) return false;
  store<u32>(KIND_KEY + keyBytes, length);
  memory.copy(KIND_KEY + keyBytes + 4, from, length);
  keyBytes += 4 + length;
  return true;
}

/** Length of the group in the thread name at `[from, to)`, before a blank, digits, a hyphen and digits; 0 in others. */
function groupBytes(from: u32, to: u32): u32 {
  const end = to - <u32>(to > from && load<u8>(to - 1) == QUOTE);
  const thread = digitsFrom(from, end);
  if (thread == end || thread == from || load<i8>(thread - 1) != HYPHEN) return 0;
  const group = digitsFrom(from, thread - 1);
  const isGroup = group < thread - 1 && group > from && load<u8>(group - 1) == SPACE;
  return isGroup && group - 1 > from ? group - 1 - from : 0;
}

/** Start of the digits that end at `to`. */
function digitsFrom(from: u32, to: u32): u32 {
  while (to > from && <u32>load<u8>(to - 1) - ZERO < 10) to--;
  return to;
}

function fieldFrom(ends: u32, place: u32): u32 {
  return load<u32>(ends + (columnOf(place) << 2) - 4) + 1;
}

function fieldTo(ends: u32, place: u32): u32 {
  return load<u32>(ends + (columnOf(place) << 2));
}
