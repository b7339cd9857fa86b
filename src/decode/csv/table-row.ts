import { CARRIAGE_RETURN } from "../bytes/ascii.ts";
import { type CsvRecord, withoutQuotes } from "./csv-record.ts";
import { readScaled, readWhole } from "../bytes/exact-number.ts";
import { BytesCache } from "../bytes/byte-table.ts";
import type { RepairKind } from "../../model/quality/repairs.ts";
import { quoted } from "../quoted.ts";
import { RowRepairs } from "../row-repairs.ts";
import type { Request } from "../requests/request-rows.ts";

/** Longer texts rarely repeat. */
const CACHED_TEXT_BYTES = 512;
const utf8 = new TextDecoder();

export class TableRow {
  /** The first fault of the row. */
  complaint: string | undefined;
  /** What is unknown of the row. */
  readonly repairs: RowRepairs;
  readonly #record: CsvRecord;
  /** Cached texts: as written, and unescaped. */
  readonly #plain = new BytesCache((bytes) => utf8.decode(bytes));
  readonly #quoted = new BytesCache((bytes) => utf8.decode(withoutQuotes(bytes)));
  #names: readonly string[] = [];
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;
  /** Column of the text that has unquoted delimiters, and how many; none in a row with the right number of fields. */
  #wide = Infinity;
  #extra = 0;

  constructor(record: CsvRecord, repairs = new RowRepairs()) {
    this.#record = record;
    this.repairs = repairs;
  }

  /** `wide`: the column that further fields belong to, if there are too many. Missing ones at the end are empty. */
  begin(names: readonly string[], bytes: Uint8Array, start: number, wide = Infinity): void {
    this.complaint = undefined;
    this.#names = names;
    this.#bytes = bytes;
    this.#start = start;
    this.#wide = wide;
    this.#extra = wide === Infinity ? 0 : this.#record.fields - names.length;
  }

  /** Whether the column exists and is not empty. */
  has(column: number | undefined): column is number {
    return column !== undefined && this.#from(column) < this.#to(column);
  }

  /** Sets the response time, a decimal times 10^-`scale` s, ms or µs in microseconds; or that it is unknown. */
  readElapsed(request: Request, column: number, scale: number, wanted: string): void {
    const micros = this.known("time-unknown", column, scale, wanted);
    request.elapsedMicros = micros ?? 0;
    request.isUntimed = micros === undefined;
  }

  /** Sets the size, or that it is unknown. An empty field is no fault. */
  readSize(request: Request, column: number): void {
    if (!this.has(column)) return;
    request.receivedBytes = this.known("size-unknown", column, 0, "a number of bytes");
  }

  /** A decimal times 10^`scale`; `undefined` and a repair if it cannot be read. */
  known(kind: RepairKind, column: number, scale: number, wanted: string): number | undefined {
    const value = this.#decimal(column, scale);
    if (value === undefined) this.repairs.add(kind, this.#fault(column, wanted));
    return value;
  }

  /** A decimal times 10^`scale`; 0 and a complaint if invalid. */
  scaled(column: number, scale: number, wanted: string): number {
    return this.#decimal(column, scale) ?? this.complain(column, wanted);
  }

  /** 0 and a complaint if invalid. */
  whole(column: number, wanted: string): number {
    const value = readWhole(this.#bytes, this.#from(column), this.#to(column));
    return value ?? this.complain(column, wanted);
  }

  contents(column: number): Uint8Array {
    if (this.#extra !== 0 || column >= this.#record.fields) {
      return this.#bytes.subarray(this.#from(column), this.#to(column));
    }
    const contents = this.#record.contents(this.#bytes, this.#start, column);
    return this.#isLast(column)
      ? contents.subarray(0, lineEnd(contents, 0, contents.length))
      : contents;
  }

  text(column: number): string {
    const [from, to] = [this.#from(column), this.#to(column)];
    if (to - from > CACHED_TEXT_BYTES) return utf8.decode(this.contents(column));
    if (this.#extra !== 0 || column >= this.#record.fields) {
      return this.#plain.at(this.#bytes, from, to);
    }
    if (!this.#record.isIrregular(column)) return this.#plain.at(this.#bytes, from, to);
    if (this.#isLast(column)) return utf8.decode(this.contents(column));
    return this.#quoted.at(this.#bytes, from, to);
  }

  texts(): string[] {
    return Array.from({ length: this.#record.fields }, (_, column) => this.text(column));
  }

  /** Records the first fault; the returned value is unused. */
  complain(column: number, wanted: string): 0 {
    this.complaint ??= this.#fault(column, wanted);
    return 0;
  }

  #fault(column: number, wanted: string): string {
    return `cannot read ${this.#names[column] ?? ""}: got ${quoted(this.text(column))}, want ${wanted}`;
  }

  #decimal(column: number, scale: number): number | undefined {
    return readScaled(this.#bytes, this.#from(column), this.#to(column), scale);
  }

  #from(column: number): number {
    const field = this.#extra > 0 && column > this.#wide ? column + this.#extra : column;
    return field < this.#record.fields ? this.#start + this.#record.from(field) : this.#start;
  }

  #to(column: number): number {
    const field = this.#extra > 0 && column >= this.#wide ? column + this.#extra : column;
    if (field >= this.#record.fields) return this.#start;
    const to = this.#start + this.#record.to(field);
    return this.#isLast(field) ? lineEnd(this.#bytes, this.#from(column), to) : to;
  }

  #isLast(field: number): boolean {
    return field === this.#record.fields - 1;
  }
}

/** Text mode on Windows can double a carriage return. */
function lineEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && bytes[end - 1] === CARRIAGE_RETURN) end -= 1;
  return end;
}
