import { isUtf8 } from "node:buffer";
import { viewOf } from "./byte-words.ts";
import { LABEL_BYTES_MAX } from "./decoder.ts";

/** What `indexOf` answers for a label of more than `LABEL_BYTES_MAX` bytes. */
export const LABEL_TOO_LONG = -1;

const REPLACEMENT = "\u{fffd}";
const FIRST_SLOTS = 1024;
/** Largest 32-bit prime below 2^32 / golden ratio: spreads neighbouring hashes over the slots. */
const MIX = 0x9e3779b1;

/**
 * The labels of one source by their bytes. A label is turned into text once, when its bytes are
 * first seen; bytes that are not UTF-8 become U+FFFD, and two spellings of the same text share one
 * index. Looking up a known label allocates nothing.
 */
export class LabelTable {
  /** Index to text; only ever grows. */
  readonly texts: string[] = [];
  /** Spellings that were not UTF-8. */
  notUtf8 = 0;
  readonly #indexByText = new Map<string, number>();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Slot to spelling + 1; 0 is an empty slot. A spelling is one sequence of bytes. */
  #slots = new Int32Array(FIRST_SLOTS);
  #spellings = 0;
  #spellingHash = new Int32Array(FIRST_SLOTS);
  #spellingIndex = new Int32Array(FIRST_SLOTS);
  /** Where spelling i begins in `#bytes`; it ends where the next one begins. */
  #spellingFrom = new Uint32Array(FIRST_SLOTS + 1);
  #bytes: Uint8Array = new Uint8Array(64 * 1024);
  #ownView = viewOf(this.#bytes);
  /** The bytes that were looked at last, and a view of them. */
  #source: Uint8Array = new Uint8Array(0);
  #view = viewOf(this.#source);

  /** The index of the label at `[from, to)` of `bytes`, or `LABEL_TOO_LONG`. */
  indexOf(bytes: Uint8Array, from: number, to: number): number {
    if (bytes !== this.#source) this.#look(bytes);
    const hash = hashOf(this.#view, from, to);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const spelling = (this.#slots[slot] as number) - 1;
      if (spelling < 0) return this.#add(bytes.subarray(from, to), hash);
      if (this.#spellingHash[spelling] === hash && this.#equals(spelling, from, to)) {
        return this.#spellingIndex[spelling] as number;
      }
    }
  }

  /** The same for a label that is text already. */
  indexOfText(text: string): number {
    const known = this.#indexByText.get(text);
    if (known !== undefined) return known;
    return this.#addText(text.toWellFormed());
  }

  /** Words are read through a view, which takes half the time of reading bytes. */
  #look(bytes: Uint8Array): void {
    this.#source = bytes;
    this.#view = viewOf(bytes);
  }

  /** Whether a spelling is what the view shows at `[from, to)`. */
  #equals(spelling: number, from: number, to: number): boolean {
    const start = this.#spellingFrom[spelling] as number;
    if ((this.#spellingFrom[spelling + 1] as number) - start !== to - from) return false;
    const view = this.#view;
    const own = this.#ownView;
    let at = from;
    let ownAt = start;
    for (; at + 4 <= to; at += 4, ownAt += 4) {
      if (view.getInt32(at, true) !== own.getInt32(ownAt, true)) return false;
    }
    for (; at < to; at++, ownAt++) if (view.getUint8(at) !== own.getUint8(ownAt)) return false;
    return true;
  }

  #add(bytes: Uint8Array, hash: number): number {
    if (bytes.length > LABEL_BYTES_MAX) return LABEL_TOO_LONG;
    const text = this.#decoder.decode(bytes);
    const index = this.#addText(text);
    if (index === LABEL_TOO_LONG) return LABEL_TOO_LONG;
    if (text.includes(REPLACEMENT) && !isUtf8(bytes)) this.notUtf8 += 1;
    if (this.#spellings * 2 >= this.#slots.length) this.#grow();
    const spelling = this.#spellings++;
    this.#spellingHash[spelling] = hash;
    this.#spellingIndex[spelling] = index;
    this.#keep(spelling, bytes);
    this.#enter(spelling, hash);
    return index;
  }

  #addText(text: string): number {
    const known = this.#indexByText.get(text);
    if (known !== undefined) return known;
    if (isTooLong(text)) return LABEL_TOO_LONG;
    const index = this.texts.length;
    this.texts.push(text);
    this.#indexByText.set(text, index);
    return index;
  }

  #keep(spelling: number, bytes: Uint8Array): void {
    const from = this.#spellingFrom[spelling] as number;
    const end = from + bytes.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#ownView = viewOf(larger);
    }
    this.#bytes.set(bytes, from);
    this.#spellingFrom[spelling + 1] = end;
  }

  #enter(spelling: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = spelling + 1;
  }

  #grow(): void {
    const size = this.#slots.length * 2;
    this.#slots = new Int32Array(size);
    this.#spellingHash = extend(this.#spellingHash, new Int32Array(size));
    this.#spellingIndex = extend(this.#spellingIndex, new Int32Array(size));
    this.#spellingFrom = extend(this.#spellingFrom, new Uint32Array(size + 1));
    for (let spelling = 0; spelling < this.#spellings; spelling++) {
      this.#enter(spelling, this.#spellingHash[spelling] as number);
    }
  }
}

/** The hash of a label: its words, then the bytes that are left as one more word, mixed. */
export function hashOf(view: DataView, from: number, to: number): number {
  let hash = 0;
  let at = from;
  for (; at + 4 <= to; at += 4) hash = mix(hash, view.getInt32(at, true));
  let rest = 0;
  for (let bits = 0; at < to; at++, bits += 8) rest |= view.getUint8(at) << bits;
  return mix(hash, rest);
}

/** The hash that has come to `hash` and goes on with `word`. */
function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, MIX);
  return mixed ^ (mixed >>> 15);
}

/** A UTF-16 unit takes at most three bytes, so most labels need no counting. */
function isTooLong(text: string): boolean {
  return text.length * 3 > LABEL_BYTES_MAX && utf8Length(text) > LABEL_BYTES_MAX;
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function extend<Kind extends Int32Array | Uint32Array>(column: Kind, larger: Kind): Kind {
  larger.set(column);
  return larger;
}
