import { find, hashOf, isEqual } from "../bytes";
import { addShape, forgetShapes, nameFrom, nameTo, NO_SHAPE, setBounds, shapeOf } from "./shapes";
import { forgetPlaces } from "./sums";
import {
  ENTRIES,
  ENTRY_BYTES,
  SLOT_BITS,
  SLOTS,
  TAGS_MAX,
  TEXT_BYTES,
  TEXTS,
  WINDOW,
} from "./layout";

/**
 * Table of the texts from the value of a line to its line feed. TypeScript adds texts and their meaning. A slot is 0 if
 * empty, else the index of an entry plus 1. Texts are aligned to 16 bytes.
 */

/** Offsets in an entry: hash, length and position of the text, label, flags. */
const HASH: u32 = 0;
const LENGTH: u32 = 4;
const TEXT: u32 = 8;
export const LABEL_INDEX: u32 = 12;
export const FLAGS: u32 = 16;

/** Flags. Without the first one, the label is unknown. */
export const LABELLED: u32 = 1;
export const FAILED: u32 = 2;
/** The tags record whether the request failed. */
export const MARKED: u32 = 4;
export const WITHOUT_STATUS: u32 = 8;
export const WITHOUT_LABEL: u32 = 16;
/** The status is 200, which is not recorded for passed requests. */
export const USUAL: u32 = 32;

export const NOT_LEARNT: u32 = 0xffffffff;

/** Slots tried for a text. Texts crafted to share slots are not added beyond these. */
const TRIES_MAX: u32 = 32;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;
const LINE_FEED: u8 = 0x0a;
const EQUALS: u8 = 0x3d;
/** Value, blank and time of line protocol; k6 writes no longer ones. */
const TAIL_BYTES_MAX: u32 = 64;

/** Returns the label of the name at `[from, to)` of the window for tags like those numbered `like`, or `NOT_LEARNT`. */
declare function labelOf(from: u32, to: u32, like: u32): u32;

/** Position of the line feed after the tags found last. */
export let tagsEnd: u32 = 0;

/** Tags learnt last, and the start of their text in memory. */
let learnt: u32 = 0;
let learntFrom: u32 = 0;

let entries: u32 = 0;
let used: u32 = 0;
/** Entry of the last line's tags, which the next line often repeats; 0: none. */
let last: u32 = 0;

/** Adds or updates the tags of a text without line feed. Returns their number, or `NOT_LEARNT` if there is no room. */
export function learnTags(from: u32, length: u32, label: u32, flags: u32): u32 {
  const hash = hashOf(from, length);
  let entry = lookUp(from, length, hash);
  if (entry == 0) {
    const slot = slotFor(length, hash);
    if (slot == 0) return NOT_LEARNT;
    entry = add(from, length, hash, slot);
  }
  store<u32>(entry, label, LABEL_INDEX);
  store<u32>(entry, flags, FLAGS);
  learnt = entry;
  learntFrom = from;
  return numberOf(entry);
}

/** Lets the tags learnt last have any name and URL instead of those at these positions of the window. */
export function learnShape(name: u32, endOfName: u32, url: u32, endOfUrl: u32): void {
  const length = load<u32>(learnt, LENGTH);
  if (shapeOf(learntFrom, learntFrom + length) != NO_SHAPE) return;
  const shape = addShape(numberOf(learnt), load<u32>(learnt, TEXT), length);
  const start = learntFrom - WINDOW;
  if (shape != 0) setBounds(shape, name - start, endOfName - start, url - start, endOfUrl - start);
}

export function forgetTags(): void {
  forgetPlaces(entries);
  forgetShapes();
  memory.fill(SLOTS, 0, (1 << SLOT_BITS) * 4);
  entries = 0;
  used = 0;
  last = 0;
}

/** Returns the position of the text of the tags with this number. */
export function textOfTags(tags: u32): u32 {
  return load<u32>(ENTRIES + tags * ENTRY_BYTES, TEXT);
}

export function lengthOfTags(tags: u32): u32 {
  return load<u32>(ENTRIES + tags * ENTRY_BYTES, LENGTH);
}

export function numberOf(entry: u32): u32 {
  return (entry - ENTRIES) / ENTRY_BYTES;
}

/** Returns the entry of the tags from `from` to a line feed before `to`, or 0. */
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

/** Returns the entry of the text from `from` to the last `=` of a line that ends before `to`, or 0. `tagsEnd`: its end. */
export function headAt(from: u32, to: u32): u32 {
  if (last != 0) {
    const length = load<u32>(last, LENGTH);
    tagsEnd = from + length;
    if (tagsEnd < to && isEqual(load<u32>(last, TEXT), from, length)) return last;
  }
  const lineEnd = find(LINE_FEED, from, to);
  if (lineEnd >= to) return 0;
  const least = lineEnd - min(lineEnd - from, TAIL_BYTES_MAX);
  tagsEnd = lineEnd;
  while (tagsEnd > least && load<u8>(tagsEnd - 1) != EQUALS) tagsEnd -= 1;
  const entry = lookUp(from, tagsEnd - from, hashOf(from, tagsEnd - from));
  if (entry != 0) last = entry;
  return entry;
}

/** Adds the tags from `from` to `tagsEnd` if they have a shape. Returns their entry, or 0. */
export function addShaped(from: u32): u32 {
  const length = tagsEnd - from;
  const like = shapeOf(from, tagsEnd);
  if (like == NO_SHAPE) return 0;
  const hash = hashOf(from, length);
  const slot = slotFor(length, hash);
  const label = slot == 0 ? NOT_LEARNT : labelOf(nameFrom - WINDOW, nameTo - WINDOW, like);
  if (label == NOT_LEARNT) return 0;
  last = add(from, length, hash, slot);
  store<u32>(last, label, LABEL_INDEX);
  store<u32>(last, load<u32>(ENTRIES + like * ENTRY_BYTES, FLAGS), FLAGS);
  return last;
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

function add(from: u32, length: u32, hash: u32, slot: u32): u32 {
  const entry = ENTRIES + entries * ENTRY_BYTES;
  const text = TEXTS + used;
  memory.copy(text, from, length);
  store<u32>(entry, hash, HASH);
  store<u32>(entry, length, LENGTH);
  store<u32>(entry, text, TEXT);
  entries += 1;
  used += paddedLength(length);
  store<u32>(slot, entries);
  return entry;
}

/** Returns the slot for another text; 0 if there is no room. */
function slotFor(length: u32, hash: u32): u32 {
  if (entries == TAGS_MAX || used + paddedLength(length) > TEXT_BYTES) return 0;
  for (let tries: u32 = 0; tries < TRIES_MAX; tries++) {
    const slot = slotOf(hash, tries);
    if (load<u32>(slot) == 0) return slot;
  }
  return 0;
}

function paddedLength(length: u32): u32 {
  return (length + 15) & ~15;
}

function slotOf(hash: u32, tries: u32): u32 {
  return SLOTS + (((hash + tries) & SLOT_MASK) << 2);
}
