import { BACKSLASH, BLANK, CARRIAGE_RETURN, COMMA, EQUALS, HASH, QUOTE } from "../bytes/ascii.ts";
import { quoted } from "../quoted.ts";

/** A point; nothing (blank or comment); a tag or a string that continues after the line feed; or a fault. */
export type LineState = "point" | "nothing" | "open-tag" | "open-string" | Fault;

interface Fault {
  readonly broken: string;
}

/** k6 and JMeter write 10 to 20. */
const PARTS_MAX = 256;

/** JMeter removes its blanks and escapes nothing. */
const UNESCAPED_TAG = "threadName";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

const TAG_ESCAPE = /\\([,= ])/g;
const STRING_ESCAPE = /\\(["\\])/g;
/** Of our own integrations, whose texts have no line ends. */
export const OWN_MEASUREMENT = "tachograph";
const OWN_ESCAPE = /\\(["\\nr])/g;
const LINE_ENDS: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
]);

/**
 * A point `measurement,tag=value field=value timestamp` as positions in its bytes. Reused.
 * docs/internals/formats/line-protocol.md has the rules.
 */
export class LinePoint {
  #bytes: Buffer = Buffer.alloc(0);
  readonly #keyFrom = new Int32Array(PARTS_MAX);
  readonly #keyTo = new Int32Array(PARTS_MAX);
  readonly #valueFrom = new Int32Array(PARTS_MAX);
  readonly #valueTo = new Int32Array(PARTS_MAX);
  #measurementFrom = 0;
  #measurementTo = 0;
  #timeFrom = 0;
  #timeTo = 0;
  /** Tags precede fields. */
  #tags = 0;
  #parts = 0;
  #at = 0;
  #to = 0;

  /** Excludes the final line feed. */
  read(bytes: Buffer, from: number, to: number): LineState {
    this.#bytes = bytes;
    this.#tags = 0;
    this.#parts = 0;
    this.#at = from;
    this.#to = to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
    this.#skipBlanks();
    if (this.#at === this.#to || this.#isAt(HASH)) return "nothing";
    return this.#readMeasurement() ?? this.#readTags() ?? this.#readFields() ?? this.#readTime();
  }

  /** As written. */
  get measurement(): string {
    return this.#bytes.toString("utf8", this.#measurementFrom, this.#measurementTo);
  }

  /** Part of the first tag `name`. */
  tag(name: string): number | undefined {
    return this.#find(name, 0, this.#tags);
  }

  field(name: string): number | undefined {
    return this.#find(name, this.#tags, this.#parts);
  }

  /** Unescaped names of the tags, with their values. */
  *tags(): Generator<readonly [name: string, value: string]> {
    for (let part = 0; part < this.#tags; part++) yield [this.#keyOf(part), this.text(part)];
  }

  /** Unescaped names of the fields, with their parts. */
  *fields(): Generator<readonly [name: string, part: number]> {
    for (let part = this.#tags; part < this.#parts; part++) yield [this.#keyOf(part), part];
  }

  /** Whether the value of a field is in quotes. */
  isText(part: number): boolean {
    return this.#bytes[(this.#valueFrom[part] as number) - 1] === QUOTE;
  }

  /** Unescaped value, valid until the next `read`. */
  value(part: number): Buffer {
    const from = this.#valueFrom[part] as number;
    const to = this.#valueTo[part] as number;
    const value = this.#bytes.subarray(from, to);
    if (!value.includes(BACKSLASH)) return value;
    const text = value.toString("latin1");
    const isOwn = part >= this.#tags && this.measurement === OWN_MEASUREMENT;
    const escape = part < this.#tags ? TAG_ESCAPE : STRING_ESCAPE;
    const plain = isOwn
      ? text.replaceAll(OWN_ESCAPE, (_, escaped: string) => LINE_ENDS.get(escaped) ?? escaped)
      : text.replaceAll(escape, "$1");
    return Buffer.from(plain, "latin1");
  }

  /** Empty if there is no such part. */
  text(part: number | undefined): string {
    return part === undefined ? "" : utf8.decode(this.value(part));
  }

  /** Empty without a timestamp. */
  get time(): Buffer {
    return this.#bytes.subarray(this.#timeFrom, this.#timeTo);
  }

  /**
   * Bytes between the measurement and the number of the last field, if that is `value` and a timestamp follows.
   * Points that differ only in measurement, number and time have the same head.
   */
  get head(): Buffer | undefined {
    const last = this.#parts - 1;
    // Of two fields with this name the first one counts.
    const isValue = this.field("value") === last;
    if (!isValue || this.#timeFrom === this.#timeTo) return undefined;
    return this.#bytes.subarray(this.#measurementTo, this.#valueFrom[last]);
  }

  holds(part: number | undefined, text: string): boolean {
    if (part === undefined) return false;
    return this.#equals(this.#valueFrom[part] as number, this.#valueTo[part] as number, text);
  }

  hasDistinctTags(): boolean {
    const names = new Set<string>();
    for (let part = 0; part < this.#tags; part++) {
      names.add(this.#bytes.toString("latin1", this.#keyFrom[part], this.#keyTo[part]));
    }
    return names.size === this.#tags;
  }

  #readMeasurement(): LineState | undefined {
    this.#measurementFrom = this.#at;
    const end = this.#skipTo(COMMA, COMMA);
    this.#measurementTo = this.#at;
    if (this.#measurementTo === this.#measurementFrom) return broken("it has no measurement");
    return end === undefined ? broken("it has neither tags nor fields") : undefined;
  }

  #readTags(): LineState | undefined {
    while (this.#isAt(COMMA)) {
      this.#at += 1;
      const part = this.#readKey("tag");
      if (typeof part === "object") return part;
      this.#tags = this.#parts;
      const isEscaped = !this.#nameIs(part, UNESCAPED_TAG);
      const end = isEscaped ? this.#skipTo(COMMA, EQUALS) : this.#skipToBlank();
      this.#valueTo[part] = this.#at;
      if (end === undefined) return "open-tag";
      if (end === EQUALS) return broken(`the tag ${this.#name(part)} holds "=" without a \\`);
    }
    return undefined;
  }

  #readFields(): LineState | undefined {
    this.#skipBlanks();
    for (;;) {
      const part = this.#readKey("field");
      if (typeof part === "object") return part;
      if (this.#isAt(QUOTE)) {
        if (!this.#readString(part)) return "open-string";
      } else {
        this.#skipNumber();
        this.#valueTo[part] = this.#at;
        if (this.#at === this.#valueFrom[part])
          return broken(`the field ${this.#name(part)} is empty`);
      }
      if (!this.#isAt(COMMA)) return undefined;
      this.#at += 1;
    }
  }

  #readTime(): LineState {
    const hasBlank = this.#isAt(BLANK);
    this.#skipBlanks();
    this.#timeFrom = this.#at;
    let to = this.#to;
    while (to > this.#timeFrom && this.#bytes[to - 1] === BLANK) to -= 1;
    this.#timeTo = to;
    const rest = this.#bytes.toString("utf8", this.#timeFrom, to);
    if ((rest === "" || hasBlank) && /^-?\d*$/.test(rest)) return "point";
    return broken(`cannot read the text after its fields: got ${quoted(rest)}, want a timestamp`);
  }

  /** Reads a key and `=`. Returns its part, or the fault. */
  #readKey(kind: string): number | Fault {
    const from = this.#at;
    if (this.#skipTo(COMMA, EQUALS) !== EQUALS) {
      const key = quoted(this.#bytes.toString("utf8", from, this.#at));
      return broken(`the ${kind} ${key} has no value`);
    }
    if (this.#at === from) return broken(`a ${kind} has no name`);
    if (this.#parts === PARTS_MAX) return broken(`it has more than ${PARTS_MAX} tags and fields`);
    const part = this.#parts++;
    this.#keyFrom[part] = from;
    this.#keyTo[part] = this.#at;
    this.#at += 1;
    this.#valueFrom[part] = this.#at;
    return part;
  }

  /** Skips to the first blank or unescaped `first` or `second`, which it returns, even past line feeds in values. */
  #skipTo(first: number, second: number): number | undefined {
    for (; this.#at < this.#to; this.#at++) {
      const byte = this.#bytes[this.#at] as number;
      if (byte === BLANK || byte === first || byte === second) return byte;
      if (byte === BACKSLASH && this.#isEscape()) this.#at += 1;
    }
    return undefined;
  }

  #skipToBlank(): number | undefined {
    while (this.#at < this.#to && !this.#isAt(BLANK)) this.#at += 1;
    return this.#at < this.#to ? BLANK : undefined;
  }

  #skipNumber(): void {
    while (this.#at < this.#to && !this.#isAt(COMMA) && !this.#isAt(BLANK)) this.#at += 1;
  }

  /** Reads a string with its line feeds. Returns whether it is closed. */
  #readString(part: number): boolean {
    this.#at += 1;
    this.#valueFrom[part] = this.#at;
    for (; this.#at < this.#to; this.#at++) {
      if (this.#isAt(BACKSLASH)) this.#at += 1;
      else if (this.#isAt(QUOTE)) {
        this.#valueTo[part] = this.#at;
        this.#at += 1;
        return true;
      }
    }
    return false;
  }

  /** Whether the backslash escapes the next byte. */
  #isEscape(): boolean {
    const next = this.#at + 1 < this.#to ? this.#bytes[this.#at + 1] : undefined;
    return next === COMMA || next === BLANK || next === EQUALS;
  }

  #isAt(byte: number): boolean {
    return this.#at < this.#to && this.#bytes[this.#at] === byte;
  }

  #skipBlanks(): void {
    while (this.#isAt(BLANK)) this.#at += 1;
  }

  #keyOf(part: number): string {
    const key = this.#bytes.toString("utf8", this.#keyFrom[part], this.#keyTo[part]);
    return key.replaceAll(TAG_ESCAPE, "$1");
  }

  #find(name: string, from: number, to: number): number | undefined {
    for (let part = from; part < to; part++) if (this.#nameIs(part, name)) return part;
    return undefined;
  }

  #nameIs(part: number, name: string): boolean {
    return this.#equals(this.#keyFrom[part] as number, this.#keyTo[part] as number, name);
  }

  #name(part: number): string {
    return quoted(this.#bytes.toString("utf8", this.#keyFrom[part], this.#keyTo[part]));
  }

  #equals(from: number, to: number, text: string): boolean {
    if (to - from !== text.length) return false;
    for (let index = 0; index < text.length; index++) {
      if (this.#bytes[from + index] !== text.charCodeAt(index)) return false;
    }
    return true;
  }
}

/** Whether a string that is open at `from` ends before `to`. */
export function endsString(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return true;
  }
  return false;
}

function broken(reason: string): Fault {
  return { broken: reason };
}
