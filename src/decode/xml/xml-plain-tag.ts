import { viewOf } from "../bytes/byte-words.ts";
import { KnownBytes } from "../bytes/byte-table.ts";
import { wordEnd } from "./xml-scan.ts";

const QUOTE = 0x22;
const AMPERSAND = 0x26;
const SLASH = 0x2f;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const BLANK = 0x20;

/** More attributes than a tag has that is read again and again. */
const ATTRIBUTES_MAX = 64;

/** 1 for the bytes at which the walk over a value stops: those that end it, or mean something. */
const STOPS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < BLANK || byte === QUOTE || byte === AMPERSAND || byte === LESS ? 1 : 0,
);

const utf8 = new TextDecoder();

/** The name of an attribute and what stands around it, ` t="`, in two words of four bytes. */
class AttributeName<Meaning> {
  readonly meaning: Meaning;
  /** How long it is with what stands around it. */
  readonly length: number;
  readonly #first: number;
  readonly #second: number;
  /** Which bits of the second word belong to it. */
  readonly #secondMask: number;

  constructor(name: Uint8Array, meaning: Meaning) {
    this.meaning = meaning;
    this.length = name.length + 3;
    const written = Buffer.alloc(8);
    // A longer name is read anew each time: it is taken for one that stands nowhere.
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

/**
 * A start tag in the one form in which programs write it: its name, then attributes in double quotes,
 * each of them behind a blank, and no line end anywhere. Reused from tag to tag.
 */
export class XmlPlainTag<Meaning> {
  /** Where its name and its attributes end. */
  nameTo = 0;
  to = 0;
  /** Whether it is an empty element: `<a/>`. */
  isEmpty = false;
  /** How many attributes it has, and where their values are, without the quotes. */
  attributes = 0;
  readonly valueFrom = new Int32Array(ATTRIBUTES_MAX);
  readonly valueTo = new Int32Array(ATTRIBUTES_MAX);
  /** 1 where a value has an ampersand; one without it is what it is written as. */
  readonly hasReference = new Uint8Array(ATTRIBUTES_MAX);
  readonly #known: KnownBytes<AttributeName<Meaning>>;
  /** The names of the attributes; behind them, those of tags before, which mostly come again. */
  readonly #names: AttributeName<Meaning>[] = [];
  #bytes: Uint8Array = new Uint8Array(0);
  #view = viewOf(this.#bytes);

  /** `meaningOf` says what the name of an attribute means. */
  constructor(meaningOf: (name: string) => Meaning) {
    this.#known = new KnownBytes((bytes) => {
      return new AttributeName(bytes, meaningOf(utf8.decode(bytes)));
    });
  }

  /** What the name of an attribute means. */
  meaning(attribute: number): Meaning {
    return (this.#names[attribute] as AttributeName<Meaning>).meaning;
  }

  /**
   * Reads the tag whose `<` is at `from`. Returns where the next thing begins; `undefined` where the
   * tag has another form, or no end before the next line feed, of which there is one.
   */
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

  /** Whether the name of an attribute is behind the blank at `blank`; notes it. */
  #isName(blank: number): boolean {
    const guess = this.#names[this.attributes];
    if (guess?.isAt(this.#view, blank) === true) return true;
    const bytes = this.#bytes;
    const from = blank + 1;
    const to = wordEnd(bytes, from);
    if (to === from || bytes[to] !== EQUALS || bytes[to + 1] !== QUOTE) return false;
    this.#names[this.attributes] = this.#known.at(bytes, from, to);
    return true;
  }

  /** Walks over the value at `from`. Returns where it ends, or where something odd is in it. */
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
