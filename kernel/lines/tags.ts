import { find, hashOf, isEqual } from "../bytes";
import { forgetPlaces } from "./sums";
import { ENTRIES, ENTRY_BYTES, SLOT_BITS, SLOTS, TAGS_MAX, TEXT_BYTES, TEXTS } from "./layout";

/**
 * A table of what stands behind the value of a line, up to its line feed. TypeScript decides which texts are in it and
 * what they mean. Of 0, a slot is empty; other values are an entry and one more. Texts lie from multiples of 16 bytes on.
 */

/** Of an entry: its hash, the length of the text, where it is, and what it means. */
const HASH: u32 = 0;
const LENGTH: u32 = 4;
const TEXT: u32 = 8;
export const LABEL_INDEX: u32 = 12;
export const FLAGS: u32 = 16;

/** Flags. Without the first one, the label is not known. */
export const LABELLED: u32 = 1;
export const FAILED: u32 = 2;
/** The source says whether such requests failed, and need not do so again. */
export const MARKED: u32 = 4;
export const WITHOUT_STATUS: u32 = 8;
export const WITHOUT_LABEL: u32 = 16;
/** With the status of which nothing is told: 200. */
export const USUAL: u32 = 32;

export const NOT_LEARNT: u32 = 0xffffffff;

/** Many texts can have one slot if somebody wants it; then those behind so many are not found. */
const TRIES_MAX: u32 = 32;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;
const LINE_FEED: u8 = 0x0a;

/** Where the tags found last end: their line feed. */
export let tagsEnd: u32 = 0;

let entries: u32 = 0;
let used: u32 = 0;
/** The tags of the last line: mostly, those of the next one are the same. */
let last: u32 = 0;

/** The number of the tags of this text, which has no line feed, or `NOT_LEARNT` where there is no room. */
export function learnTags(from: u32, length: u32, label: u32, flags: u32): u32 {
  const hash = hashOf(from, length);
  let entry = lookUp(from, length, hash);
  if (entry == 0) entry = add(from, length, hash);
  if (entry == 0) return NOT_LEARNT;
  store<u32>(entry, label, LABEL_INDEX);
  store<u32>(entry, flags, FLAGS);
  return numberOf(entry);
}

export function forgetTags(): void {
  forgetPlaces(entries);
  memory.fill(SLOTS, 0, (1 << SLOT_BITS) * 4);
  entries = 0;
  used = 0;
  last = 0;
}

/** Where the text of the tags with this number is, and how long it is. */
export function textOfTags(tags: u32): u32 {
  return load<u32>(ENTRIES + tags * ENTRY_BYTES, TEXT);
}

export function lengthOfTags(tags: u32): u32 {
  return load<u32>(ENTRIES + tags * ENTRY_BYTES, LENGTH);
}

export function numberOf(entry: u32): u32 {
  return (entry - ENTRIES) / ENTRY_BYTES;
}

/** The entry of the tags from `from` to a line feed in front of `to`, or 0. */
export function tagsAt(from: u32, to: u32): u32 {
  if (last != 0) {
    const length = load<u32>(last, LENGTH);
    const end = from + length;
    if (end < to && load<u8>(end) == LINE_FEED && isEqual(load<u32>(last, TEXT), from, length)) {
      tagsEnd = end;
      return last;
    }
  }
  tagsEnd = find(LINE_FEED, from, to);
  if (tagsEnd == to) return 0;
  const entry = lookUp(from, tagsEnd - from, hashOf(from, tagsEnd - from));
  if (entry != 0) last = entry;
  return entry;
}

function lookUp(from: u32, length: u32, hash: u32): u32 {
  for (let tries: u32 = 0; tries < TRIES_MAX; tries++) {
    const taken = load<u32>(slotOf(hash, tries));
    if (taken == 0) return 0;
    const entry = ENTRIES + (taken - 1) * ENTRY_BYTES;
    const isAlike = load<u32>(entry, HASH) == hash && load<u32>(entry, LENGTH) == length;
    if (isAlike && isEqual(load<u32>(entry, TEXT), from, length)) return entry;
  }
  return 0;
}

function add(from: u32, length: u32, hash: u32): u32 {
  const padded = (length + 15) & ~15;
  const slot = emptySlot(hash);
  if (entries == TAGS_MAX || used + padded > TEXT_BYTES || slot == 0) return 0;
  const entry = ENTRIES + entries * ENTRY_BYTES;
  const text = TEXTS + used;
  memory.copy(text, from, length);
  store<u32>(entry, hash, HASH);
  store<u32>(entry, length, LENGTH);
  store<u32>(entry, text, TEXT);
  entries += 1;
  used += padded;
  store<u32>(slot, entries);
  return entry;
}

function emptySlot(hash: u32): u32 {
  for (let tries: u32 = 0; tries < TRIES_MAX; tries++) {
    const slot = slotOf(hash, tries);
    if (load<u32>(slot) == 0) return slot;
  }
  return 0;
}

function slotOf(hash: u32, tries: u32): u32 {
  return SLOTS + (((hash + tries) & SLOT_MASK) << 2);
}
