import { type CsvRecord, withoutQuotes } from "./csv-record.ts";
import { readScaled, readWhole } from "../bytes/exact-number.ts";
import { BytesCache } from "../bytes/byte-table.ts";
import { quoted } from "../quoted.ts";

const CARRIAGE_RETURN = 0x0d;

/** Longer texts rarely repeat. */
const CACHED_TEXT_BYTES = 512;
const utf8 = new TextDecoder();

export class TableRow {
  /** The first fault of the row. */
  complaint: string | undefined;
  readonly #record: CsvRecord;
  /** Cached texts: as written, and unescaped. */
  readonly #plain = new BytesCache((bytes) => utf8.decode(bytes));
  readonly #quoted = new BytesCache((bytes) => utf8.decode(withoutQuotes(bytes)));
  #names: readonly string[] = [];
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;

  constructor(record: CsvRecord) {
    this.#record = record;
  }

  begin(names: readonly string[], bytes: Uint8Array, start: number): void {
    this.complaint = undefined;
    this.#names = names;
    this.#bytes = bytes;
    this.#start = start;
  }

  /** Whether the column exists and is not empty. */
  has(column: number | undefined): column is number {
    return column !== undefined && this.#from(column) < this.#to(column);
  }

  /** A decimal times 10^`scale`; 0 and a complaint if invalid. */
  scaled(column: number, scale: number, wanted: string): number {
    const value = readScaled(this.#bytes, this.#from(column), this.#to(column), scale);
    return value ?? this.complain(column, wanted);
  }

  /** 0 and a complaint if invalid. */
  whole(column: number, wanted: string): number {
    const value = readWhole(this.#bytes, this.#from(column), this.#to(column));
    return value ?? this.complain(column, wanted);
  }

  contents(column: number): Uint8Array {
    const contents = this.#record.contents(this.#bytes, this.#start, column);
    return this.#isLast(column)
      ? contents.subarray(0, lineEnd(contents, 0, contents.length))
      : contents;
  }

  text(column: number): string {
    const [from, to] = [this.#from(column), this.#to(column)];
    if (to - from > CACHED_TEXT_BYTES) return utf8.decode(this.contents(column));
    if (!this.#record.isIrregular(column)) return this.#plain.at(this.#bytes, from, to);
    if (this.#isLast(column)) return utf8.decode(this.contents(column));
    return this.#quoted.at(this.#bytes, from, to);
  }

  texts(): string[] {
    return Array.from({ length: this.#record.fields }, (_, column) => this.text(column));
  }

  /** Records the first fault; the returned value is unused. */
  complain(column: number, wanted: string): 0 {
    const name = this.#names[column] ?? "";
    this.complaint ??= `cannot read ${name}: got ${quoted(this.text(column))}, want ${wanted}`;
    return 0;
  }

  #from(column: number): number {
    return this.#start + this.#record.from(column);
  }

  #to(column: number): number {
    const to = this.#start + this.#record.to(column);
    return this.#isLast(column) ? lineEnd(this.#bytes, this.#from(column), to) : to;
  }

  #isLast(column: number): boolean {
    return column === this.#record.fields - 1;
  }
}

/** Text mode on Windows can double a carriage return. */
function lineEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && bytes[end - 1] === CARRIAGE_RETURN) end -= 1;
  return end;
}
