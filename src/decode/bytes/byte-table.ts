import { HashSlots } from "../../concurrency/hash-slots.ts";
import { secretFactor } from "../../concurrency/secret-factor.ts";
import { grown } from "../../model/columns.ts";

/** Small, as each post of a live sender has its own table of labels. */
const FIRST_PLACES = 128;

/** Bytes are stored in chunks, so that growth copies little: the first grows up to this size. */
const CHUNK_BITS = 20;
const CHUNK_BYTES = 2 ** CHUNK_BITS;
const FIRST_CHUNK_BYTES = 4 * 1024;

const SEED = secretFactor();
const MIX = secretFactor();
const SPREAD = secretFactor();

/** The table is cleared at this size: a source can have a new text in each row. */
const TEXTS_MAX = 16 * 1024;
const BYTES_MAX = 1024 * 1024;

interface Chunk {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Numbers texts by their bytes, from 0 on. A lookup allocates nothing. */
export class ByteTable {
  /** Total length of the texts since the last `clear`. */
  bytes = 0;
  readonly #slots = new HashSlots();
  /** The chunk of each text and its offset, in the lowest `CHUNK_BITS`. */
  #places: Uint32Array = new Uint32Array(FIRST_PLACES);
  #lengths: Uint32Array = new Uint32Array(FIRST_PLACES);
  readonly #chunks: Chunk[] = [newChunk(FIRST_CHUNK_BYTES)];
  /** The chunk being filled and its fill level; later ones are empty. */
  #chunk = 0;
  #used = 0;
  /** The last bytes looked up, and a view of them. */
  #source: Uint8Array = new Uint8Array(0);
  #view = viewOf(this.#source);
  /** Hash of the last text looked up. */
  #hash = 0;

  get count(): number {
    return this.#slots.count;
  }

  /** Number of the text at `[from, to)`. */
  find(bytes: Uint8Array, from: number, to: number): number | undefined {
    if (bytes !== this.#source) this.#look(bytes);
    const hash = hashOf(this.#view, from, to);
    this.#hash = hash;
    let number = this.#slots.first(hash);
    while (number >= 0 && !this.#equals(number, from, to)) number = this.#slots.next();
    return number < 0 ? undefined : number;
  }

  /** Adds the text of the last `find`. Returns its number. */
  add(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    this.#makeRoom(length);
    const number = this.#slots.add(this.#hash);
    (this.#chunks[this.#chunk] as Chunk).bytes.set(bytes.subarray(from, to), this.#used);
    if (number >= this.#places.length) {
      this.#places = grown(this.#places, number + 1);
      this.#lengths = grown(this.#lengths, number + 1);
    }
    this.#places[number] = this.#chunk * CHUNK_BYTES + this.#used;
    this.#lengths[number] = length;
    this.#used += length;
    this.bytes += length;
    return number;
  }

  /** The text with a number, until the next `clear`. */
  textAt(number: number): Uint8Array {
    const place = this.#places[number] as number;
    const from = place % CHUNK_BYTES;
    const { bytes } = this.#chunks[place >>> CHUNK_BITS] as Chunk;
    return bytes.subarray(from, from + (this.#lengths[number] as number));
  }

  clear(): void {
    this.bytes = 0;
    this.#chunk = 0;
    this.#used = 0;
    this.#slots.clear();
  }

  /** Reading words through a view takes half the time of reading bytes. */
  #look(bytes: Uint8Array): void {
    this.#source = bytes;
    this.#view = viewOf(bytes);
  }

  #equals(number: number, from: number, to: number): boolean {
    if (this.#lengths[number] !== to - from) return false;
    const place = this.#places[number] as number;
    const view = this.#view;
    const own = (this.#chunks[place >>> CHUNK_BITS] as Chunk).view;
    let at = from;
    let ownAt = place % CHUNK_BYTES;
    for (; at + 4 <= to; at += 4, ownAt += 4) {
      if (view.getInt32(at, true) !== own.getInt32(ownAt, true)) return false;
    }
    return at >= to || lastWord(view, at, to) === lastWord(own, ownAt, ownAt + (to - at));
  }

  /** Reserves room for a text and for the padding of its last word. */
  #makeRoom(length: number): void {
    const { bytes } = this.#chunks[this.#chunk] as Chunk;
    const wanted = this.#used + length + 3;
    // The offset of a text must be below `CHUNK_BYTES`, even if an empty one follows the only text of a larger chunk.
    if (wanted <= bytes.length && this.#used < CHUNK_BYTES) return;
    if (bytes.length < CHUNK_BYTES) {
      const larger = newChunk(Math.max(wanted, bytes.length * 2));
      larger.bytes.set(bytes.subarray(0, this.#used));
      this.#chunks[this.#chunk] = larger;
      return;
    }
    this.#chunk += 1;
    this.#used = 0;
    const next = this.#chunks[this.#chunk];
    if (next !== undefined && next.bytes.length >= length + 3) return;
    this.#chunks[this.#chunk] = newChunk(Math.max(CHUNK_BYTES, length + 3));
  }
}

function newChunk(length: number): Chunk {
  const bytes = new Uint8Array(length);
  return { bytes, view: viewOf(bytes) };
}

/** Two independent chains of words run in parallel on a processor. */
function hashOf(view: DataView, from: number, to: number): number {
  let hash = (to - from) ^ SEED;
  let other = SEED;
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

/** Up to three bytes from `at` as a zero-padded word. */
function lastWord(view: DataView, at: number, to: number): number {
  // Usually bytes follow the text.
  if (at + 4 <= view.byteLength) return lowBits(view.getInt32(at, true), (to - at) * 8);
  let word = 0;
  for (let next = to - 1; next >= at; next--) word = (word << 8) | view.getUint8(next);
  return word;
}

/** Without the second factor, two words that differ in known bits would cancel out whatever the first one is. */
function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, MIX);
  return mixed ^ Math.imul(mixed >>> 15, SPREAD);
}

export class BytesCache<Value> {
  readonly #make: (bytes: Uint8Array) => Value;
  readonly #table = new ByteTable();
  #values: Value[] = [];

  /** `make` must not keep the bytes. */
  constructor(make: (bytes: Uint8Array) => Value) {
    this.#make = make;
  }

  at(bytes: Uint8Array, from: number, to: number): Value {
    const number = this.#table.find(bytes, from, to);
    if (number !== undefined) return this.#values[number] as Value;
    const value = this.#make(bytes.subarray(from, to));
    if (this.#table.count === TEXTS_MAX || this.#table.bytes + (to - from) > BYTES_MAX) {
      this.#table.clear();
      this.#values = [];
    }
    if (to - from > BYTES_MAX) return value;
    this.#table.add(bytes, from, to);
    this.#values.push(value);
    return value;
  }
}

/** A word is a 32-bit integer with the first byte in its lowest bits, as `DataView.getInt32(at, true)` reads it. */

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The lowest `bits` (0 to 31) of a word. */
function lowBits(word: number, bits: number): number {
  return word & ~(-1 << bits);
}

export function isAt(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at++) if (bytes[from + at] !== word[at]) return false;
  return true;
}
