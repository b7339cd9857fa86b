import {
  AMPERSAND,
  APOSTROPHE,
  BLANK,
  EQUALS,
  GREATER,
  LESS,
  QUOTE,
  SLASH,
} from "../bytes/ascii.ts";
import { viewOf } from "../bytes/byte-words.ts";
import { BytesCache } from "../bytes/byte-table.ts";

/** Limit of attributes of the fast path. */
const ATTRIBUTES_MAX = 64;

/** 1 for bytes at which a value ends or needs unescaping. */
const STOPS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < BLANK || byte === QUOTE || byte === AMPERSAND || byte === LESS ? 1 : 0,
);

const utf8 = new TextDecoder();

/** Shorter text, mostly blanks between tags, is searched byte by byte. */
const SHORT_TEXT_BYTES = 16;

/** An attribute name with its surroundings, ` t="`, as two words. */
class AttributeName<Meaning> {
  readonly meaning: Meaning;
  /** Length with surroundings. */
  readonly length: number;
  readonly #first: number;
  readonly #second: number;
  /** Bits of the second word that belong to it. */
  readonly #secondMask: number;

  constructor(name: Uint8Array, meaning: Meaning) {
    this.meaning = meaning;
    this.length = name.length + 3;
    const written = Buffer.alloc(8);
    // Longer names never match and are read again.
    if (this.length <= written.length) written.set([BLANK, ...name, EQUALS, QUOTE]);
    this.#first = written.readInt32LE(0);
    this.#second = written.readInt32LE(4);
    this.#secondMask = this.length < 8 ? ~(-1 << ((this.length - 4) * 8)) : -1;
  }

  isAt(view: DataView, from: number): boolean {
    const difference = (view.getInt32(from + 4, true) ^ this.#second) & this.#secondMask;
    return (difference | (view.getInt32(from, true) ^ this.#first)) === 0;
  }
}

/** Fast path for plain start tags: attributes in double quotes after one blank each, no line end. Reused. */
export class XmlPlainTag<Meaning> {
  /** Ends of name and attributes. */
  nameTo = 0;
  to = 0;
  /** `<a/>`. */
  isEmpty = false;
  /** Number of attributes, and bounds of their values. */
  attributes = 0;
  readonly valueFrom = new Int32Array(ATTRIBUTES_MAX);
  readonly valueTo = new Int32Array(ATTRIBUTES_MAX);
  /** 1 if a value contains an ampersand. */
  readonly hasReference = new Uint8Array(ATTRIBUTES_MAX);
  readonly #cache: BytesCache<AttributeName<Meaning>>;
  /** Attribute names, including those of earlier tags, which usually repeat. */
  readonly #names: AttributeName<Meaning>[] = [];
  #bytes: Uint8Array = new Uint8Array(0);
  #view = viewOf(this.#bytes);

  /** Maps attribute names. */
  constructor(meaningOf: (name: string) => Meaning) {
    this.#cache = new BytesCache((bytes) => {
      return new AttributeName(bytes, meaningOf(utf8.decode(bytes)));
    });
  }

  meaning(attribute: number): Meaning {
    return (this.#names[attribute] as AttributeName<Meaning>).meaning;
  }

  /** Reads the tag at `from`. Returns its end, if it is plain and ends before the next line feed, which must exist. */
  read(bytes: Uint8Array, from: number): number | undefined {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    let at = wordEnd(bytes, from + 1);
    this.nameTo = at;
    for (this.attributes = 0; bytes[at] === BLANK; this.attributes += 1) {
      if (this.attributes === ATTRIBUTES_MAX || !this.#isName(at)) return undefined;
      at = this.#value(at + (this.#names[this.attributes] as AttributeName<Meaning>).length);
      if (bytes[at] !== QUOTE) return undefined;
      at += 1;
    }
    this.to = at;
    this.isEmpty = bytes[at] === SLASH;
    if (this.isEmpty) at += 1;
    return bytes[at] === GREATER ? at + 1 : undefined;
  }

  /** Matches or reads the name after the blank. */
  #isName(blank: number): boolean {
    const guess = this.#names[this.attributes];
    if (guess?.isAt(this.#view, blank) === true) return true;
    const bytes = this.#bytes;
    const from = blank + 1;
    const to = wordEnd(bytes, from);
    if (to === from || bytes[to] !== EQUALS || bytes[to + 1] !== QUOTE) return false;
    this.#names[this.attributes] = this.#cache.at(bytes, from, to);
    return true;
  }

  /** Returns the end of the value at `from`, or the first byte that needs the slow path. */
  #value(from: number): number {
    const bytes = this.#bytes;
    const attribute = this.attributes;
    let at = from;
    while (STOPS[bytes[at] as number] === 0) at += 1;
    this.hasReference[attribute] = bytes[at] === AMPERSAND ? 1 : 0;
    while (bytes[at] === AMPERSAND) for (at += 1; STOPS[bytes[at] as number] === 0;) at += 1;
    this.valueFrom[attribute] = from;
    this.valueTo[attribute] = at;
    return at;
  }
}

/** End of the name at `from`. */
export function wordEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isOfWord(bytes[at] as number)) at += 1;
  return at;
}

function isOfWord(byte: number): boolean {
  if (byte <= SLASH) return byte > QUOTE && byte < SLASH && byte !== APOSTROPHE;
  return byte < LESS || byte > GREATER;
}

/** End of the text that began before `from`. */
export function textEnd(bytes: Buffer, from: number, to: number): number {
  const near = Math.min(from + SHORT_TEXT_BYTES, to);
  for (let at = from; at < near; at++) if (bytes[at] === LESS) return at;
  const less = bytes.indexOf(LESS, near);
  return less < 0 || less > to ? to : less;
}

/** Whether a name may begin with this byte. */
export function isNameStart(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x5f || byte === 0x3a || byte >= 0x80;
}
