import { hashOf, isEqual } from "../bytes";
import { SLOT_BITS, TEXT_BYTES, TEXTS_MAX } from "./layout";

/**
 * Tables of texts, to which TypeScript adds texts with a value. A table begins with the number of its texts and the bytes
 * that they take. Slots follow (0 if empty, else the index of an entry plus 1), then entries, then texts, aligned to 16
 * bytes.
 */

/** Returned by `valueOf` for a text that is not in the table. */
export const UNKNOWN: u32 = 0xffffffff;

/** Slots tried for a text. Texts crafted to share slots are not added beyond these. */
const TRIES_MAX: u32 = 32;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;
const SLOTS: u32 = 64;
const ENTRIES: u32 = SLOTS + (1 << SLOT_BITS) * 4;
const TEXTS: u32 = ENTRIES + TEXTS_MAX * 16;

/** Offsets in an entry: hash, length and position of the text, value. */
const HASH: u32 = 0;
const LENGTH: u32 = 4;
const TEXT: u32 = 8;
const VALUE: u32 = 12;

/** Returns the value of the text at `[from, from + length)`, or `UNKNOWN`. Up to 16 bytes after it are loaded. */
export function valueOf(table: u32, from: u32, length: u32): u32 {
  const entry = find(table, from, length, hashOf(from, length));
  return entry == 0 ? UNKNOWN : load<u32>(entry, VALUE);
}

/** Adds a text with a value, or updates its value. Ignored if there is no room. */
export function learn(table: u32, from: u32, length: u32, value: u32): void {
  const hash = hashOf(from, length);
  const known = find(table, from, length, hash);
  if (known != 0) {
    store<u32>(known, value, VALUE);
    return;
  }
  const entries = load<u32>(table);
  const used = load<u32>(table, 4);
  const padded = (length + 15) & ~15;
  if (entries == TEXTS_MAX || used + padded > TEXT_BYTES) return;
  const slot = emptySlot(table, hash);
  if (slot == 0) return;
  const entry = table + ENTRIES + (entries << 4);
  const text = table + TEXTS + used;
  memory.copy(text, from, length);
  store<u32>(entry, hash, HASH);
  store<u32>(entry, length, LENGTH);
  store<u32>(entry, text, TEXT);
  store<u32>(entry, value, VALUE);
  store<u32>(slot, entries + 1);
  store<u32>(table, entries + 1);
  store<u32>(table, used + padded, 4);
}

/** Removes all texts. */
export function forgetTexts(table: u32): void {
  const entries = load<u32>(table);
  for (let each: u32 = 0; each < entries; each++) {
    const hash = load<u32>(table + ENTRIES + (each << 4), HASH);
    for (let tries: u32 = 0; tries < TRIES_MAX; tries++) store<u32>(slotOf(table, hash, tries), 0);
  }
  store<u64>(table, 0);
}

/** Returns the entry of a text, or 0. */
function find(table: u32, from: u32, length: u32, hash: u32): u32 {
  for (let tries: u32 = 0; tries < TRIES_MAX; tries++) {
    const taken = load<u32>(slotOf(table, hash, tries));
    if (taken == 0) return 0;
    const entry = table + ENTRIES + ((taken - 1) << 4);
    const isAlike = load<u32>(entry, HASH) == hash && load<u32>(entry, LENGTH) == length;
    if (isAlike && isEqual(load<u32>(entry, TEXT), from, length)) return entry;
  }
  return 0;
}

function emptySlot(table: u32, hash: u32): u32 {
  for (let tries: u32 = 0; tries < TRIES_MAX; tries++) {
    const slot = slotOf(table, hash, tries);
    if (load<u32>(slot) == 0) return slot;
  }
  return 0;
}

function slotOf(table: u32, hash: u32, tries: u32): u32 {
  return table + SLOTS + (((hash + tries) & SLOT_MASK) << 2);
}
