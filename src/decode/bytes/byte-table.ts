import { lowBits, viewOf } from "./byte-words.ts";

const FIRST_SLOTS = 1024;

/** A slot is the hash of a text and its number + 1; 0 is empty. */
const SLOT_WORDS = 2;

/** A location is the chunk, offset and length of a text. */
const PLACE_WORDS = 3;

/** Bytes are stored in chunks, so that growth copies little: the first grows up to this size. */
const CHUNK_BYTES = 1024 * 1024;
const FIRST_CHUNK_BYTES = 4 * 1024;

/** Odd constant that spreads similar texts over the slots. */
const MIX = 0x9e3779b1;

/** The table is cleared at this size: a source can have a new text in each row. */
const TEXTS_MAX = 16 * 1024;
const BYTES_MAX = 1024 * 1024;

interface Chunk {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Numbers texts by their bytes, from 0 on. A lookup allocates nothing. */
export class ByteTable {
  /** Texts since the last `clear`. */
  count = 0;
  /** Their total length. */
  bytes = 0;
  #slots = new Int32Array(FIRST_SLOTS * SLOT_WORDS);
  #places = new Uint32Array((FIRST_SLOTS / 2) * PLACE_WORDS);
  readonly #chunks: Chunk[] = [newChunk(FIRST_CHUNK_BYTES)];
  /** The chunk being filled and its fill level; later ones are empty. */
  #chunk = 0;
  #used = 0;
  /** The last bytes looked up, and a view of them. */
  #source: Uint8Array = new Uint8Array(0);
  #view = viewOf(this.#source);
  /** Hash of the last text looked up. */
  #hash = 0;

  /** Number of the text at `[from, to)`. */
  find(bytes: Uint8Array, from: number, to: number): number | undefined {
    if (bytes !== this.#source) this.#look(bytes);
    const hash = hashOf(this.#view, from, to);
    this.#hash = hash;
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = (hash * SLOT_WORDS) & mask; ; at = (at + SLOT_WORDS) & mask) {
      const number = (slots[at + 1] as number) - 1;
      if (number < 0) return undefined;
      if (slots[at] === hash && this.#equals(number, from, to)) return number;
    }
  }

  /** Adds the text of the last `find`. Returns its number. */
  add(bytes: Uint8Array, from: number, to: number): number {
    if (this.count * 2 * SLOT_WORDS >= this.#slots.length) this.#grow();
    const length = to - from;
    this.#makeRoom(length);
    const number = this.count++;
    (this.#chunks[this.#chunk] as Chunk).bytes.set(bytes.subarray(from, to), this.#used);
    const place = number * PLACE_WORDS;
    this.#places[place] = this.#chunk;
    this.#places[place + 1] = this.#used;
    this.#places[place + 2] = length;
    this.#used += length;
    this.bytes += length;
    this.#enter(this.#hash, number);
    return number;
  }

  clear(): void {
    this.count = 0;
    this.bytes = 0;
    this.#chunk = 0;
    this.#used = 0;
    this.#slots.fill(0);
  }

  /** Reading words through a view takes half the time of reading bytes. */
  #look(bytes: Uint8Array): void {
    this.#source = bytes;
    this.#view = viewOf(bytes);
  }

  #equals(number: number, from: number, to: number): boolean {
    const place = number * PLACE_WORDS;
    if (this.#places[place + 2] !== to - from) return false;
    const view = this.#view;
    const own = (this.#chunks[this.#places[place] as number] as Chunk).view;
    let at = from;
    let ownAt = this.#places[place + 1] as number;
    for (; at + 4 <= to; at += 4, ownAt += 4) {
      if (view.getInt32(at, true) !== own.getInt32(ownAt, true)) return false;
    }
    return at >= to || lastWord(view, at, to) === lastWord(own, ownAt, ownAt + (to - at));
  }

  /** Reserves room for a text and for the padding of its last word. */
  #makeRoom(length: number): void {
    const { bytes } = this.#chunks[this.#chunk] as Chunk;
    const wanted = this.#used + length + 3;
    if (wanted <= bytes.length) return;
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

  #enter(hash: number, number: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (hash * SLOT_WORDS) & mask;
    while (slots[at + 1] !== 0) at = (at + SLOT_WORDS) & mask;
    slots[at] = hash;
    slots[at + 1] = number + 1;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += SLOT_WORDS) {
      const number = (before[at + 1] as number) - 1;
      if (number >= 0) this.#enter(before[at] as number, number);
    }
    // Half of the slots are always empty.
    const places = new Uint32Array((this.#slots.length / SLOT_WORDS / 2) * PLACE_WORDS);
    places.set(this.#places);
    this.#places = places;
  }
}

function newChunk(length: number): Chunk {
  const bytes = new Uint8Array(length);
  return { bytes, view: viewOf(bytes) };
}

/** Two independent chains of words run in parallel on a processor. */
function hashOf(view: DataView, from: number, to: number): number {
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

/** Up to three bytes from `at` as a zero-padded word. */
function lastWord(view: DataView, at: number, to: number): number {
  // Usually bytes follow the text.
  if (at + 4 <= view.byteLength) return lowBits(view.getInt32(at, true), (to - at) * 8);
  let word = 0;
  for (let next = to - 1; next >= at; next--) word = (word << 8) | view.getUint8(next);
  return word;
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, MIX);
  return mixed ^ (mixed >>> 15);
}

/** Caches values of texts that recur in a source. */
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
