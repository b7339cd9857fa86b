import { columnOf, FAILURE_MESSAGE, RESPONSE_CODE, RESPONSE_MESSAGE } from "./columns";
import { KIND_BYTES_MAX, KIND_KEY, KINDS } from "./layout";
import { UNKNOWN, valueOf } from "./texts";

/** Label, then the bytes of the three texts, four each. */
const HEAD_BYTES: u32 = 16;

let keyBytes: u32 = 0;

/** The kind of a failed row by its label and texts as they are written; `UNKNOWN` where TypeScript has not said it. */
export function kindOf(label: u32, ends: u32): u32 {
  store<u32>(KIND_KEY, label);
  keyBytes = HEAD_BYTES;
  const isShort =
    addText(ends, RESPONSE_CODE, 4) &&
    addText(ends, RESPONSE_MESSAGE, 8) &&
    addText(ends, FAILURE_MESSAGE, 12);
  return isShort ? valueOf(KINDS, KIND_KEY, keyBytes) : UNKNOWN;
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
