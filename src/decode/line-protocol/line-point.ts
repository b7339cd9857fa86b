import { quoted } from "../quoted.ts";

/**
 * What stands at a place: a point; nothing (blank, or a comment); something that goes on behind the
 * line feed at its end, if that belongs to a value; or no point, and why.
 */
export type LineState = "point" | "nothing" | "open" | { readonly broken: string };

/** Tags and fields of a point; k6 and JMeter write 10 to 20. */
const PARTS_MAX = 256;

const COMMA = 0x2c;
const EQUALS = 0x3d;
const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CARRIAGE_RETURN = 0x0d;
const HASH = 0x23;

/** JMeter writes the name of a thread without its blanks, and escapes nothing in it. */
const UNESCAPED_TAG = "threadName";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** What a backslash takes its meaning from, in a tag and in a string. */
const TAG_ESCAPE = /\\([,= ])/g;
const STRING_ESCAPE = /\\(["\\])/g;

/**
 * One point of line protocol, `measurement,tag=value field=value timestamp`, as places in its bytes;
 * nothing is copied. Reused from point to point. docs/internals/formats/line-protocol.md has the rules.
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
  /** Tags stand first, fields behind them. */
  #tags = 0;
  #parts = 0;
  #at = 0;
  #to = 0;

  /** Reads `[from, to)` of `bytes`, which does not include the line feed at its end. */
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

  /** The name of what was measured, as it is written. */
  get measurement(): string {
    return this.#bytes.toString("utf8", this.#measurementFrom, this.#measurementTo);
  }

  /** Which part is the tag `name`, the first of several; `undefined` where there is none. */
  tag(name: string): number | undefined {
    return this.#find(name, 0, this.#tags);
  }

  /** Which part is the field `name`. */
  field(name: string): number | undefined {
    return this.#find(name, this.#tags, this.#parts);
  }

  /** Names of the fields, in the order of the point. */
  *fieldNames(): Generator<string> {
    for (let part = this.#tags; part < this.#parts; part++) {
      yield this.#bytes.toString("latin1", this.#keyFrom[part], this.#keyTo[part]);
    }
  }

  /** The bytes of a value without escapes and quotes; they stay valid until the next `read`. */
  value(part: number): Buffer {
    const from = this.#valueFrom[part] as number;
    const to = this.#valueTo[part] as number;
    const value = this.#bytes.subarray(from, to);
    if (!value.includes(BACKSLASH)) return value;
    const escape = part < this.#tags ? TAG_ESCAPE : STRING_ESCAPE;
    return Buffer.from(value.toString("latin1").replaceAll(escape, "$1"), "latin1");
  }

  /** The same as text; empty where there is no such part. */
  text(part: number | undefined): string {
    return part === undefined ? "" : utf8.decode(this.value(part));
  }

  /** The digits of the timestamp; empty where there is none. */
  get time(): Buffer {
    return this.#bytes.subarray(this.#timeFrom, this.#timeTo);
  }

  /**
   * All bytes between the measurement and the number of the last field, where that is `value` and a
   * timestamp follows: with another measurement, number and time they make a point that is read alike.
   */
  get head(): Buffer | undefined {
    const last = this.#parts - 1;
    const isValue = last >= this.#tags && this.#nameIs(last, "value");
    if (!isValue || this.#timeFrom === this.#timeTo) return undefined;
    return this.#bytes.subarray(this.#measurementTo, this.#valueFrom[last]);
  }

  /** Whether the value of a part is exactly this ASCII text. */
  holds(part: number | undefined, text: string): boolean {
    if (part === undefined) return false;
    return this.#equals(this.#valueFrom[part] as number, this.#valueTo[part] as number, text);
  }

  /** Whether every tag is there once only. */
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
      if (end === undefined) return "open";
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
        if (!this.#readString(part)) return "open";
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
    return broken(`cannot read what is behind its fields: got ${quoted(rest)}, want a timestamp`);
  }

  /** Reads the name of a part and the `=` behind it. Answers the part's number, or what is wrong. */
  #readKey(kind: string): number | { readonly broken: string } {
    const from = this.#at;
    if (this.#skipTo(COMMA, EQUALS) !== EQUALS) {
      return {
        broken: `the ${kind} ${quoted(this.#bytes.toString("utf8", from, this.#at))} has no value`,
      };
    }
    if (this.#at === from) return { broken: `a ${kind} has no name` };
    if (this.#parts === PARTS_MAX) {
      return { broken: `it has more than ${PARTS_MAX} tags and fields` };
    }
    const part = this.#parts++;
    this.#keyFrom[part] = from;
    this.#keyTo[part] = this.#at;
    this.#at += 1;
    this.#valueFrom[part] = this.#at;
    return part;
  }

  /**
   * Goes to the first blank, `first` or `second` that is not escaped, and answers which it is;
   * `undefined` where none comes before the end. Line feeds are passed: they are in a value.
   */
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

  /** Reads a string, line feeds included. Whether it is closed. */
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

  /** Whether the backslash here escapes what is behind it; else it stands for itself. */
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

function broken(reason: string): LineState {
  return { broken: reason };
}
