import { columnOf, FAILURE_MESSAGE, RESPONSE_CODE, RESPONSE_MESSAGE } from "./columns";
import { KIND_BYTES_MAX, KIND_KEY, KINDS } from "./layout";
import { UNKNOWN, valueOf } from "./texts";

const USUAL_CODE: u32 = 0x303032;
/** The same in quotes, without the closing one. */
const QUOTED_CODE: u32 = 0x30303222;
const QUOTE: u8 = 0x22;
/** Replaces the lengths of absent texts in keys of codes. */
const NO_TEXT: u32 = 0xffffffff;

/** The label and the lengths of the three texts, four bytes each. */
const HEAD_BYTES: u32 = 16;

let keyBytes: u32 = 0;

/** Returns the kind of a failed row by its label and texts as written, or `UNKNOWN` if it was not learnt. */
export function kindOf(label: u32, ends: u32): u32 {
  store<u32>(KIND_KEY, label);
  keyBytes = HEAD_BYTES;
  const isShort =
    addText(ends, RESPONSE_CODE, 4) &&
    addText(ends, RESPONSE_MESSAGE, 8) &&
    addText(ends, FAILURE_MESSAGE, 12);
  return isShort ? valueOf(KINDS, KIND_KEY, keyBytes) : UNKNOWN;
}

/** Reports whether the code of a row is 200 or not recorded. */
export function hasUsualCode(ends: u32): bool {
  const column = columnOf(RESPONSE_CODE);
  if (column < 0) return true;
  const from = load<u32>(ends + (column << 2) - 4) + 1;
  const length = load<u32>(ends + (column << 2)) - from;
  if (length == 3) return (load<u32>(from) & 0xffffff) == USUAL_CODE;
  return length == 5 && load<u32>(from) == QUOTED_CODE && load<u8>(from, 4) == QUOTE;
}

/** Returns the number learnt for the label and code of a passed row, or `UNKNOWN`. */
export function codeKindOf(label: u32, ends: u32): u32 {
  store<u32>(KIND_KEY, label);
  store<u32>(KIND_KEY, NO_TEXT, 8);
  store<u32>(KIND_KEY, NO_TEXT, 12);
  keyBytes = HEAD_BYTES;
  return addText(ends, RESPONSE_CODE, 4) ? valueOf(KINDS, KIND_KEY, keyBytes) : UNKNOWN;
}

function addText(ends: u32, place: u32, head: u32): bool {
  const column = columnOf(place);
  const from = column < 0 ? 0 : load<u32>(ends + (column << 2) - 4) + 1;
  const length = column < 0 ? 0 : load<u32>(ends + (column << 2)) - from;
  if (keyBytes + length > KIND_BYTES_MAX) return false;
  store<u32>(KIND_KEY + head, length);
  memory.copy(KIND_KEY + keyBytes, from, length);
  keyBytes += length;
  return true;
}
