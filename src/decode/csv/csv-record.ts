/**
 * Tokeniser for one CSV record: any one-byte delimiter, quoted fields, LF or CRLF. More lenient than RFC 4180: a
 * quote inside an unquoted field is literal, and text after a closing quote belongs to the field.
 */

import { grown } from "../../model/columns.ts";
import { CARRIAGE_RETURN, LINE_FEED, QUOTE, TAB, ZERO } from "../bytes/ascii.ts";
import { isAt } from "../bytes/byte-table.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";

const FIELD_START = 0;
const PLAIN = 1;
const QUOTED = 2;
/** After a quote in a quoted field: its end, or half of a doubled quote. */
const QUOTE_SEEN = 3;

const FIRST_FIELDS = 64;
/** Numbers that count have fewer digits than times. */
const DIGITS_ALIKE = 9;
/** Form of every word, see `formOf`. */
const WORD = "a";
/** Fields stored per record; longer records are only skipped. */
const FIELDS_KEPT = RECORD_BYTES_MAX + 1;

interface FieldOfLines {
  readonly field: number;
  /** Of the first field. */
  readonly form: string;
  /** Fields of a row. */
  readonly wanted: number;
  /** Whether text is behind the closing quote. */
  readonly goesOn: boolean;
}

/** Reused from record to record. Input may arrive in chunks as long as earlier bytes stay before the new ones. */
export class CsvRecord {
  fields = 0;
  /** Line feeds, including the final one. */
  lineFeeds = 0;
  /** Bytes scanned, including the line end. */
  length = 0;
  readonly #delimiter: number;
  #state = FIELD_START;
  /** Start of the open field; positions are relative to the record. */
  #open = 0;
  #lastQuote = -1;
  #irregular = false;
  #from: Int32Array = new Int32Array(FIRST_FIELDS);
  #to: Int32Array = new Int32Array(FIRST_FIELDS);
  #fieldIrregular: Uint8Array = new Uint8Array(FIRST_FIELDS);

  /** Neither a quote nor a line end. */
  constructor(delimiter: number) {
    this.#delimiter = delimiter;
  }

  /** Must be called before each record. */
  begin(): void {
    this.fields = 0;
    this.lineFeeds = 0;
    this.length = 0;
    this.#openField(0);
  }

  /** Scans up to the line end or `to`. Returns whether the record ended; else call again with more, or `finish`. */
  scan(bytes: Uint8Array, start: number, to: number): boolean {
    const delimiter = this.#delimiter;
    let state = this.#state;
    for (let at = start + this.length; at < to; at++) {
      const byte = bytes[at] as number;
      if (state === QUOTED) {
        if (byte === QUOTE) state = this.#sawQuote(at - start);
        else if (byte === LINE_FEED) this.lineFeeds += 1;
      } else if (byte === delimiter) {
        this.#closeField(bytes, start, at - start);
        this.#openField(at - start + 1);
        state = FIELD_START;
      } else if (byte === LINE_FEED) {
        this.lineFeeds += 1;
        this.length = at - start + 1;
        this.#closeLastField(bytes, start, at - start);
        return true;
      } else if (byte === QUOTE && state !== PLAIN) {
        // The opening quote, or the second half of a doubled one.
        if (state === QUOTE_SEEN) this.#irregular = true;
        state = QUOTED;
      } else {
        state = PLAIN;
        at = plainEnd(bytes, at + 1, to, delimiter) - 1;
      }
    }
    this.length = to - start;
    this.#state = state;
    return false;
  }

  /** Ends a record at the end of the source. `false` if a quote is still open. */
  finish(bytes: Uint8Array, start: number): boolean {
    if (this.#state === QUOTED) return false;
    this.#closeLastField(bytes, start, this.length);
    return true;
  }

  /** Whether the record is an empty line. */
  get isBlank(): boolean {
    return this.fields === 1 && this.to(0) === 0;
  }

  /**
   * Whether an unmatched quote has taken rows of so many fields into the record: lines within a field begin like the record and
   * have as many fields, and the record is not what a writer of quotes makes of such a field.
   */
  hidesRows(bytes: Uint8Array, start: number, wanted: number): boolean {
    const lines = this.lineFeeds + (bytes[start + this.length - 1] === LINE_FEED ? 0 : 1);
    if (lines < 2) return false;
    const delimiter = String.fromCharCode(this.#delimiter);
    const [begin = ""] = latin1Of(this.contents(bytes, start, 0)).split(/[\n"]/, 1);
    const form = formOf(begin.split(delimiter, 1));
    for (let field = 0; field < Math.min(this.fields, FIELDS_KEPT); field++) {
      const text = latin1Of(this.contents(bytes, start, field));
      const parts = text.split("\n").map((line) => line.split(delimiter));
      const raw = bytes.subarray(start + this.from(field) + 1, start + this.to(field));
      if (this.#areRows(parts, { field, form, wanted, goesOn: goesOnBehindQuote(raw) }))
        return true;
    }
    return false;
  }

  /** Whether lines of a field, split at the delimiters, are rows. */
  #areRows(lines: readonly (readonly string[])[], of: FieldOfLines): boolean {
    const { field, form, wanted, goesOn } = of;
    const areAlike = lines.map((line, at) => at > 0 && formOf(line) === form);
    const isOdd = goesOn || this.fields !== wanted;
    if (isOdd && lines.some((line, at) => line.length === wanted && areAlike[at])) return true;
    if (areAlike.at(-1) !== true) return false;
    const counts = lines.map((line) => line.length);
    const [first, last] = [counts[0] as number, counts.at(-1) as number];
    // The quote that ends the field begins one of the last row, whose text may have delimiters.
    if (goesOn && last > 1 && form !== WORD) return true;
    return field + first === wanted && last + this.fields - 1 - field === wanted;
  }

  /** Start of field `index` without quotes, relative to the record. */
  from(index: number): number {
    return this.#from[index] as number;
  }

  to(index: number): number {
    return this.#to[index] as number;
  }

  /** Whether a field needs unescaping by `contents`. */
  isIrregular(index: number): boolean {
    return this.#fieldIrregular[index] === 1;
  }

  /** Field `index` of the record at `start`: a view, or an unescaped copy. */
  contents(bytes: Uint8Array, start: number, index: number): Uint8Array {
    const raw = bytes.subarray(start + this.from(index), start + this.to(index));
    return this.isIrregular(index) ? withoutQuotes(raw) : raw;
  }

  #sawQuote(at: number): number {
    this.#lastQuote = at;
    return QUOTE_SEEN;
  }

  #openField(at: number): void {
    this.#open = at;
    this.#state = FIELD_START;
    this.#lastQuote = -1;
    this.#irregular = false;
  }

  #closeLastField(bytes: Uint8Array, start: number, end: number): void {
    const hasReturn = end > this.#open && bytes[start + end - 1] === CARRIAGE_RETURN;
    this.#closeField(bytes, start, hasReturn ? end - 1 : end);
  }

  #closeField(bytes: Uint8Array, start: number, end: number): void {
    const index = this.fields++;
    if (index >= FIELDS_KEPT) return;
    if (index === this.#from.length) {
      this.#from = grown(this.#from, index);
      this.#to = grown(this.#to, index);
      this.#fieldIrregular = grown(this.#fieldIrregular, index);
    }
    let from = this.#open;
    let to = end;
    let irregular = false;
    if (this.#lastQuote >= 0 && bytes[start + from] === QUOTE) {
      irregular = this.#irregular || this.#lastQuote !== end - 1;
      if (!irregular) {
        from += 1;
        to -= 1;
      }
    }
    this.#from[index] = from;
    this.#to[index] = to;
    this.#fieldIrregular[index] = irregular ? 1 : 0;
  }
}

/** Removes the outer quotes and halves doubled ones. */
export function withoutQuotes(raw: Uint8Array): Uint8Array {
  const contents = new Uint8Array(raw.length);
  let length = 0;
  let quoted = true;
  for (let at = 1; at < raw.length; at++) {
    const byte = raw[at] as number;
    if (quoted && byte === QUOTE) {
      if (raw[at + 1] !== QUOTE) {
        quoted = false;
        continue;
      }
      at += 1;
    }
    contents[length++] = byte;
  }
  return contents.subarray(0, length);
}

function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

function goesOnBehindQuote(raw: Uint8Array): boolean {
  const quotes = latin1Of(raw).replaceAll('""', "");
  const end = quotes.indexOf('"');
  return end >= 0 && end < quotes.length - 1;
}

/** What the first field is: words are alike, and so are long numbers of as many digits. */
function formOf([first = ""]: readonly string[]): string {
  return first
    .replaceAll('"', "")
    .replaceAll(/[a-z_]\w*/gi, WORD)
    .replaceAll(/\d+/g, (digits) => (digits.length < DIGITS_ALIKE ? "9" : `9${digits.length}`));
}

/** Position of the next delimiter or line feed, else `to`. */
function plainEnd(bytes: Uint8Array, from: number, to: number, delimiter: number): number {
  let at = from;
  while (at < to && bytes[at] !== delimiter && bytes[at] !== LINE_FEED) at += 1;
  return at;
}

/** Message for a wrong number of fields. */
export function fieldCounts({ fields, lineFeeds }: CsvRecord, wanted: number): string {
  const where = lineFeeds > 1 ? ` in ${lineFeeds} lines` : "";
  return `got ${fields} ${fields === 1 ? "field" : "fields"}${where}, want ${wanted}`;
}

/** Numbers of more digits may not be exact. */
const DIGITS_MAX = 15;

/** Tab-separated fields of a line. Reused: valid until the next one. */
export class TabFields {
  /** At least 1. */
  count = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** Starts of the fields; each ends one byte before the next. */
  #from: Int32Array = new Int32Array(FIRST_FIELDS);

  split(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes;
    this.#from[0] = from;
    this.count = 1;
    for (let at = from; at < to; at++) if (bytes[at] === TAB) this.#begin(at + 1);
    this.#begin(to + 1);
    this.count -= 1;
  }

  from(index: number): number {
    return this.#from[index] as number;
  }

  to(index: number): number {
    return (this.#from[index + 1] as number) - 1;
  }

  is(index: number, word: Buffer): boolean {
    if (index >= this.count) return false;
    const from = this.from(index);
    return this.to(index) - from === word.length && isAt(this.#bytes, from, word);
  }

  /** Fields `first` to `last` with the tabs between them. */
  text(first: number, last = first): string {
    return this.#bytes.toString("utf8", this.from(first), this.to(last));
  }

  /** `undefined` unless the field is 1 to 15 digits. */
  whole(index: number): number | undefined {
    const from = this.from(index);
    const to = this.to(index);
    if (from === to || to - from > DIGITS_MAX) return undefined;
    let value = 0;
    for (let at = from; at < to; at++) {
      const digit = (this.#bytes[at] as number) - ZERO;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    return value;
  }

  #begin(at: number): void {
    if (this.count === this.#from.length) this.#from = grown(this.#from, this.count);
    this.#from[this.count++] = at;
  }
}
