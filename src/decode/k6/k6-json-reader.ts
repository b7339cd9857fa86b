import { BACKSLASH, CLOSE_BRACE, COMMA, POINT, QUOTE, ZERO } from "../bytes/ascii.ts";
import { isAt } from "../bytes/byte-table.ts";
import { isDigit } from "../bytes/exact-number.ts";
import { type K6Parts, NAME, PART_OF_TAG, TIME, URL, VALUE } from "./k6-tags.ts";
import type { K6Metrics, MetricKind } from "./k6-metrics.ts";

const UNICODE_ESCAPE = 0x75;
const FIRST_PRINTABLE = 0x20;

/** Since about v0.38: `{"metric":"vus","type":"Point","data":{…}}`. */
export const METRIC_FIRST = '{"metric":"';
export const BEFORE_DATA = '","type":"Point","data":';
const FIRST = bytesOf(METRIC_FIRST);
const BEFORE = bytesOf(BEFORE_DATA);
/** Before: `{"type":"Point","data":{…},"metric":"vus"}`. */
const LAST = bytesOf('{"type":"Point","data":');
const AFTER = bytesOf(',"metric":"');

const SHORTEST_LINE = LAST.length;

/** Longer names are not recognised. */
const NAME_BYTES_MAX = 256;
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

const TAGS: readonly Tag[] = Array.from(PART_OF_TAG, ([name, part]) => ({
  key: bytesOf(name),
  part,
}));

/** Tags by their length, which is unique. */
const TAG_OF_LENGTH: readonly (Tag | undefined)[] = Array.from({ length: 18 }, (_, length) =>
  TAGS.find(({ key }) => key.length === length),
);

/**
 * Parses points in the exact form of k6: keys in order, no blanks, no exponents. Anything else fails and is left
 * to `JSON.parse`.
 */
export class K6JsonReader {
  isLabelEscaped = false;
  /** Name of the metric that `kindOf` found. */
  get metric(): string {
    return Buffer.from(this.#bytes.subarray(this.#nameFrom, this.#nameTo)).toString();
  }
  #nameFrom = 0;
  #nameTo = 0;
  readonly #metrics: K6Metrics;
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

  constructor(metrics: K6Metrics, parts: K6Parts) {
    this.#metrics = metrics;
    this.#parts = parts;
  }

  /** Kind of metric of the line `[from, to)`; `undefined` for other forms. */
  kindOf(bytes: Buffer, from: number, to: number): MetricKind | undefined {
    if (to - from < SHORTEST_LINE || bytes[to - 1] !== CLOSE_BRACE) return undefined;
    this.#bytes = bytes;
    if (isAt(bytes, from, FIRST)) return this.#metricFirst(bytes, from, to);
    return isAt(bytes, from, LAST) ? this.#metricLast(bytes, from, to) : undefined;
  }

  #metricFirst(bytes: Buffer, from: number, to: number): MetricKind | undefined {
    const kind = this.#metrics.kindOfNameAt(bytes, from + METRIC_FIRST.length);
    if (kind === undefined) return undefined;
    const nameTo = this.#metrics.end;
    this.#nameFrom = from + METRIC_FIRST.length;
    this.#nameTo = nameTo;
    const hasData = nameTo < to && isAt(bytes, nameTo, BEFORE);
    this.#at = hasData ? nameTo + BEFORE_DATA.length : to;
    this.#to = to - 1;
    return hasData ? kind : undefined;
  }

  #metricLast(bytes: Buffer, from: number, to: number): MetricKind | undefined {
    const nameTo = to - 2;
    if (bytes[nameTo] !== QUOTE) return undefined;
    const limit = Math.max(from, nameTo - NAME_BYTES_MAX);
    let nameFrom = nameTo;
    while (nameFrom > limit && bytes[nameFrom - 1] !== QUOTE) nameFrom -= 1;
    this.#at = from + LAST.length;
    this.#to = nameFrom - AFTER.length;
    if (this.#to < this.#at || !isAt(bytes, this.#to, AFTER)) return undefined;
    this.#nameFrom = nameFrom;
    this.#nameTo = nameTo;
    return this.#metrics.kindOfNameAt(bytes, nameFrom);
  }

  /** Reads the data of the point that `kindOf` found. Returns whether it could. */
  readData(): boolean {
    this.#isNameEscaped = false;
    this.#isUrlEscaped = false;
    this.#parts.beginIn(this.#bytes);
    if (!this.#head() || !this.#tags() || this.#next() !== CLOSE_BRACE) return false;
    this.isLabelEscaped = this.#parts.has(NAME) ? this.#isNameEscaped : this.#isUrlEscaped;
    return this.#at + 1 === this.#to;
  }

  #head(): boolean {
    if (!this.#literal(TIME_KEY) || !this.#string() || !this.#put(TIME)) return false;
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
    if (this.#at + literal.length > this.#to || !isAt(this.#bytes, this.#at, literal)) return false;
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
  #put(part: number): boolean {
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
    while (this.#at < this.#to && isDigit(this.#bytes[this.#at])) this.#at += 1;
    return this.#at - from;
  }

  /** Parses pairs of strings up to the closing brace. */
  #pairs(areTags: boolean): boolean {
    if (this.#next() === CLOSE_BRACE) return this.#skip();
    for (;;) {
      if (!this.#string() || this.#isEscaped) return false;
      const part = areTags ? this.#partOfKey() : undefined;
      if (!this.#literal(AFTER_KEY) || !this.#string()) return false;
      if (part !== undefined && !this.#put(part)) return false;
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
    return tag !== undefined && isAt(this.#bytes, this.#stringFrom, tag.key) ? tag.part : undefined;
  }
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
