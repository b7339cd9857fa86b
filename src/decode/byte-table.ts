import { lowBits, viewOf } from "./byte-words.ts";

const FIRST_SLOTS = 1024;
/** Large odd number: spreads neighbouring texts over the slots. */
const MIX = 0x9e3779b1;

/**
 * Numbers texts by their bytes: 0 for the first one, then 1, and so on. Looking one up allocates
 * nothing.
 */
export class ByteTable {
  /** Texts added since the last `clear`. */
  count = 0;
  /** Slot to number + 1; 0 is an empty slot. */
  #slots = new Int32Array(FIRST_SLOTS);
  #hashes = new Int32Array(FIRST_SLOTS);
  /** Where text i begins in `#bytes`; it ends where the next one begins. */
  #from = new Uint32Array(FIRST_SLOTS + 1);
  #bytes = new Uint8Array(64 * 1024);
  #ownView = viewOf(this.#bytes);
  /** The bytes that were looked at last, and a view of them. */
  #source: Uint8Array = new Uint8Array(0);
  #view = viewOf(this.#source);
  /** Of the text that was looked up last. */
  #hash = 0;

  /** How long the texts are together. */
  get bytes(): number {
    return this.#from[this.count] as number;
  }

  /** The number of the text at `[from, to)`, if it was added. */
  find(bytes: Uint8Array, from: number, to: number): number | undefined {
    if (bytes !== this.#source) this.#look(bytes);
    const hash = hashOf(this.#view, from, to);
    this.#hash = hash;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] as number) - 1;
      if (number < 0) return undefined;
      if (this.#hashes[number] === hash && this.#equals(number, from, to)) return number;
    }
  }

  /** Adds the text at `[from, to)`, which `find` has just not found. Returns its number. */
  add(bytes: Uint8Array, from: number, to: number): number {
    if (this.count * 2 >= this.#slots.length) this.#grow();
    const number = this.count++;
    const start = this.#from[number] as number;
    const end = start + (to - from);
    this.#makeRoom(end);
    this.#bytes.set(bytes.subarray(from, to), start);
    this.#from[number + 1] = end;
    this.#hashes[number] = this.#hash;
    this.#enter(number);
    return number;
  }

  /** Forgets all texts. */
  clear(): void {
    this.count = 0;
    this.#slots.fill(0);
  }

  /** Words are read through a view, which takes half the time of reading bytes. */
  #look(bytes: Uint8Array): void {
    this.#source = bytes;
    this.#view = viewOf(bytes);
  }

  #equals(number: number, from: number, to: number): boolean {
    const start = this.#from[number] as number;
    if ((this.#from[number + 1] as number) - start !== to - from) return false;
    const view = this.#view;
    const own = this.#ownView;
    let at = from;
    let ownAt = start;
    for (; at + 4 <= to; at += 4, ownAt += 4) {
      if (view.getInt32(at, true) !== own.getInt32(ownAt, true)) return false;
    }
    return at >= to || lastWord(view, at, to) === lastWord(own, ownAt, ownAt + (to - at));
  }

  #makeRoom(end: number): void {
    if (end + 3 <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(end + 3, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#ownView = viewOf(larger);
  }

  #enter(number: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[number] as number) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }

  #grow(): void {
    const size = this.#slots.length * 2;
    this.#slots = new Int32Array(size);
    const hashes = new Int32Array(size);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    const from = new Uint32Array(size + 1);
    from.set(this.#from);
    this.#from = from;
    for (let number = 0; number < this.count; number++) this.#enter(number);
  }
}

/** Every other word goes a way of its own, so that a processor can work on two of them at once. */
export function hashOf(view: DataView, from: number, to: number): number {
  let hash = to - from;
  let other = 0;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    hash = mix(hash, view.getInt32(at, true));
    other = mix(other, view.getInt32(at + 4, true));
  }
  if (at + 4 <= to) {
    hash = mix(hash, view.getInt32(at, true));
    at += 4;
  }
  if (at < to) other = mix(other, lastWord(view, at, to));
  return mix(hash, other);
}

/** The bytes from `at` to `to`, three at most, as a word of which the rest is 0. */
function lastWord(view: DataView, at: number, to: number): number {
  // Mostly there is more behind a text, whatever it is.
  if (at + 4 <= view.byteLength) return lowBits(view.getInt32(at, true), (to - at) * 8);
  let word = 0;
  for (let next = to - 1; next >= at; next--) word = (word << 8) | view.getUint8(next);
  return word;
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, MIX);
  return mixed ^ (mixed >>> 15);
}
