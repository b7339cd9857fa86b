/**
 * One record of comma separated values, found byte by byte: any delimiter of one byte, fields in
 * double quotes (with delimiters, line ends and doubled quotes inside), LF or CRLF.
 *
 * More is tolerated than RFC 4180 allows, because recorded files hold it: a quote inside a plain
 * field means itself, and text behind a closing quote belongs to the field.
 */

import { RECORD_BYTES_MAX } from "../decoder.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

const FIELD_START = 0;
const PLAIN = 1;
const QUOTED = 2;
/** Behind a quote in a quoted field: its end, or the first half of a doubled quote. */
const QUOTE_SEEN = 3;

const FIRST_FIELDS = 64;
/** A record that may be read has no more; of a longer one, which is only skipped, no more are kept. */
const FIELDS_KEPT = RECORD_BYTES_MAX + 1;

/**
 * The tokeniser, reused from record to record. It may be given a record in pieces, as long as the
 * bytes seen before stay in front of the new ones: scanning goes on where it stopped.
 */
export class CsvRecord {
  /** Fields found so far. */
  fields = 0;
  /** Line feeds in the record, the one that ends it included. */
  lineFeeds = 0;
  /** Bytes of the record scanned so far, the line end included. */
  length = 0;
  readonly #delimiter: number;
  #state = FIELD_START;
  /** Where the open field begins, from the start of the record; so are the positions below. */
  #open = 0;
  #lastQuote = -1;
  #irregular = false;
  #from = new Int32Array(FIRST_FIELDS);
  #to = new Int32Array(FIRST_FIELDS);
  #fieldIrregular = new Uint8Array(FIRST_FIELDS);

  /** `delimiter` is one byte; neither a quote nor a line end. */
  constructor(delimiter: number) {
    this.#delimiter = delimiter;
  }

  /** Forgets the record before. To be called before each one. */
  begin(): void {
    this.fields = 0;
    this.lineFeeds = 0;
    this.length = 0;
    this.#openField(0);
  }

  /**
   * Scans the record that begins at `start`, up to its line end or to `to`. Whether the line end
   * was found; if not, call again with more bytes, or `finish`.
   */
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
        // Either the quote that opens the field, or the second half of a doubled one.
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

  /**
   * Ends a record whose source ended without a line end. `false` where a quote is still open: the
   * record is not whole.
   */
  finish(bytes: Uint8Array, start: number): boolean {
    if (this.#state === QUOTED) return false;
    this.#closeLastField(bytes, start, this.length);
    return true;
  }

  /** Whether the record holds nothing at all: an empty line. */
  get isBlank(): boolean {
    return this.fields === 1 && this.to(0) === 0;
  }

  /** Where the contents of field `index` begin, without its quotes, from the start of the record. */
  from(index: number): number {
    return this.#from[index] as number;
  }

  /** Where they end. */
  to(index: number): number {
    return this.#to[index] as number;
  }

  /** Whether the contents are not the bytes from `from` to `to`: only `contents` gives them. */
  isIrregular(index: number): boolean {
    return this.#fieldIrregular[index] === 1;
  }

  /** The contents of field `index` of the record at `start`: a view, or a copy without quotes. */
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
    if (index === this.#from.length) this.#grow();
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

  #grow(): void {
    const size = this.#from.length * 2;
    this.#from = extend(this.#from, new Int32Array(size));
    this.#to = extend(this.#to, new Int32Array(size));
    this.#fieldIrregular = extend(this.#fieldIrregular, new Uint8Array(size));
  }
}

/** `raw` begins with a quote: takes out the opening and the closing one, and halves doubled ones. */
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

function extend<Kind extends Int32Array | Uint8Array>(column: Kind, larger: Kind): Kind {
  larger.set(column);
  return larger;
}

/** Where a delimiter or a line feed comes next, which is all that counts then; else `to`. */
function plainEnd(bytes: Uint8Array, from: number, to: number, delimiter: number): number {
  let at = from;
  while (at < to && bytes[at] !== delimiter && bytes[at] !== LINE_FEED) at += 1;
  return at;
}

/** What is wrong with a record that has not as many fields as are wanted. */
export function fieldCounts({ fields, lineFeeds }: CsvRecord, wanted: number): string {
  const where = lineFeeds > 1 ? ` in ${lineFeeds} lines` : "";
  return `got ${fields} ${fields === 1 ? "field" : "fields"}${where}, want ${wanted}`;
}
