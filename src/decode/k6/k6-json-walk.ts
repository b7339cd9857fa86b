import {
  ERROR,
  ERROR_CODE,
  EXPECTED,
  type K6Parts,
  NAME,
  STATUS,
  TIME,
  URL,
  VALUE,
} from "./k6-parts.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const POINT = 0x2e;
const CLOSE_BRACE = 0x7d;
const ZERO = 0x30;
const UNICODE_ESCAPE = 0x75;
const FIRST_PRINTABLE = 0x20;

const TIME_KEY = bytesOf('{"time":');
const VALUE_KEY = bytesOf(',"value":');
const TAGS_KEY = bytesOf(',"tags":{');
const METADATA_KEY = bytesOf(',"metadata":{');
const AFTER_KEY = bytesOf(":");
/** Bytes that may follow a backslash. */
const ESCAPES = bytesOf('"\\/bfnrtu');

interface Tag {
  readonly key: Uint8Array;
  readonly part: number;
}

const TAGS: readonly Tag[] = [
  { key: bytesOf("expected_response"), part: EXPECTED },
  { key: bytesOf("name"), part: NAME },
  { key: bytesOf("status"), part: STATUS },
  { key: bytesOf("url"), part: URL },
  { key: bytesOf("error"), part: ERROR },
  { key: bytesOf("error_code"), part: ERROR_CODE },
];

/** Tags by their length, which is unique. */
const TAG_OF_LENGTH: readonly (Tag | undefined)[] = Array.from({ length: 18 }, (_, length) =>
  TAGS.find(({ key }) => key.length === length),
);

/**
 * Parses the `data` object of a point in the exact form of k6: keys in order, no blanks, no exponents. Anything
 * else fails and is left to `JSON.parse`.
 */
export class K6JsonWalk {
  isLabelEscaped = false;
  readonly #parts: K6Parts;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #to = 0;
  /** Bounds of the last string, and whether it has escapes. */
  #stringFrom = 0;
  #stringTo = 0;
  #isEscaped = false;
  #isNameEscaped = false;
  #isUrlEscaped = false;

  constructor(parts: K6Parts) {
    this.#parts = parts;
  }

  /** Parses the object at `from`, which ends before `to`. Returns its end. */
  data(bytes: Uint8Array, from: number, to: number): number | undefined {
    this.#bytes = bytes;
    this.#at = from;
    this.#to = to;
    this.#isNameEscaped = false;
    this.#isUrlEscaped = false;
    this.#parts.beginIn(bytes);
    if (!this.#head() || !this.#tags() || this.#next() !== CLOSE_BRACE) return undefined;
    this.isLabelEscaped = this.#parts.has(NAME) ? this.#isNameEscaped : this.#isUrlEscaped;
    return this.#at + 1;
  }

  #head(): boolean {
    if (!this.#literal(TIME_KEY) || !this.#string() || !this.#note(TIME)) return false;
    return this.#literal(VALUE_KEY) && this.#number();
  }

  #tags(): boolean {
    if (!this.#literal(TAGS_KEY) || !this.#pairs(true)) return false;
    return this.#next() !== COMMA || (this.#literal(METADATA_KEY) && this.#pairs(false));
  }

  #next(): number | undefined {
    return this.#at < this.#to ? this.#bytes[this.#at] : undefined;
  }

  #literal(literal: Uint8Array): boolean {
    if (this.#at + literal.length > this.#to) return false;
    for (let at = 0; at < literal.length; at++) {
      if (this.#bytes[this.#at + at] !== literal[at]) return false;
    }
    this.#at += literal.length;
    return true;
  }

  #string(): boolean {
    if (this.#next() !== QUOTE) return false;
    const bytes = this.#bytes;
    this.#stringFrom = this.#at + 1;
    this.#isEscaped = false;
    for (let at = this.#stringFrom; at < this.#to; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.#stringTo = at;
        this.#at = at + 1;
        return true;
      }
      if (byte < FIRST_PRINTABLE) return false;
      if (byte !== BACKSLASH) continue;
      this.#isEscaped = true;
      if (!this.#isEscape(at)) return false;
      at += 1;
    }
    return false;
  }

  #isEscape(at: number): boolean {
    const kind = this.#bytes[at + 1] as number;
    if (kind !== UNICODE_ESCAPE) return ESCAPES.includes(kind);
    for (let digit = at + 2; digit < at + 6; digit++) {
      if (!isHexDigit(this.#bytes[digit] as number)) return false;
    }
    return true;
  }

  /** Stores the last string as a part; only the label may have escapes. */
  #note(part: number): boolean {
    this.#parts.from[part] = this.#stringFrom;
    this.#parts.to[part] = this.#stringTo;
    if (part === NAME) this.#isNameEscaped = this.#isEscaped;
    else if (part === URL) this.#isUrlEscaped = this.#isEscaped;
    else return !this.#isEscaped;
    return true;
  }

  #number(): boolean {
    const from = this.#at;
    const whole = this.#digits();
    if (whole === 0 || (whole > 1 && this.#bytes[from] === ZERO)) return false;
    if (this.#next() === POINT) {
      this.#at += 1;
      if (this.#digits() === 0) return false;
    }
    this.#parts.from[VALUE] = from;
    this.#parts.to[VALUE] = this.#at;
    return true;
  }

  #digits(): number {
    const from = this.#at;
    while (this.#at < this.#to && isDigit(this.#bytes[this.#at] as number)) this.#at += 1;
    return this.#at - from;
  }

  /** Parses pairs of strings up to the closing brace. */
  #pairs(areTags: boolean): boolean {
    if (this.#next() === CLOSE_BRACE) return this.#skip();
    for (;;) {
      if (!this.#string() || this.#isEscaped) return false;
      const part = areTags ? this.#partOfKey() : undefined;
      if (!this.#literal(AFTER_KEY) || !this.#string()) return false;
      if (part !== undefined && !this.#note(part)) return false;
      const next = this.#next();
      if (next === CLOSE_BRACE) return this.#skip();
      if (next !== COMMA) return false;
      this.#at += 1;
    }
  }

  #skip(): true {
    this.#at += 1;
    return true;
  }

  #partOfKey(): number | undefined {
    const tag = TAG_OF_LENGTH[this.#stringTo - this.#stringFrom];
    return tag !== undefined && this.#isKey(tag.key) ? tag.part : undefined;
  }

  #isKey(key: Uint8Array): boolean {
    for (let at = 0; at < key.length; at++) {
      if (this.#bytes[this.#stringFrom + at] !== key[at]) return false;
    }
    return true;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
