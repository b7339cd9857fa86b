import { UserError } from "../../model/errors.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader, type CsvRecordTaker } from "./csv-reader.ts";
import { CsvRecord, fieldCounts } from "./csv-record.ts";
import type { DecodeEnd, Decoder, SampleSink } from "../decoder.ts";
import { TableRow } from "./table-row.ts";
import { quoted } from "../quoted.ts";

/** What a format makes of a table whose first line names the columns. */
export interface TableReader extends Pick<Decoder, "labels" | "failureKinds" | "generators"> {
  /** Learns where the columns stand. Throws `unreadable-source` where one that is needed is not. */
  begin(columns: TableColumns): void;
  /** Reads a row, which has as many fields as there are names. Returns why it cannot be read. */
  read(row: TableRow): string | undefined;
  /**
   * Returns why a row cannot be read, or may not be all there, and keeps nothing of it: for a last
   * row without a line end.
   * Left out where the tool ends every line. Such a row is cut then, since nothing tells whether its
   * last field is all there.
   */
  readonly check?: ((row: TableRow) => string | undefined) | undefined;
  /** Hands over what does not have to wait for later rows. */
  flush(): void;
  /** Hands over what is left. What a reader of the numbers should know. */
  end(): readonly string[];
}

export interface CsvTableOptions {
  /** Name of the format. */
  readonly name: string;
  /** The byte between two fields, by the first line. @default a comma */
  readonly delimiterOf?: (firstLine: string) => number;
}

const COMMA = 0x2c;
const LINE_FEED = 0x0a;

/** A header is looked for in this many bytes. */
const HEADER_BYTES_MAX = 64 * 1024;

/** Decodes CSV with a header. A header that comes again is skipped: two files in one. */
export class CsvTable implements Decoder {
  readonly #table: TableReader;
  readonly #sink: SampleSink;
  readonly #options: CsvTableOptions;
  readonly #window = new ByteWindow();
  /** `undefined` until the first line has arrived, which tells the delimiter. */
  #source: { readonly reader: CsvReader; readonly records: TableRecords } | undefined;

  constructor(table: TableReader, sink: SampleSink, options: CsvTableOptions) {
    this.#table = table;
    this.#sink = sink;
    this.#options = options;
  }

  get labels(): readonly string[] {
    return this.#table.labels;
  }

  get failureKinds(): Decoder["failureKinds"] {
    return this.#table.failureKinds;
  }

  get generators(): readonly string[] {
    return this.#table.generators;
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    if (this.#source === undefined && !this.#hasFirstLine()) return;
    this.#source ??= this.#openSource();
    this.#source.reader.read();
  }

  flush(): void {
    this.#table.flush();
  }

  end(): DecodeEnd {
    const { reader, records } = this.#source ?? this.#openSource();
    reader.read();
    const cut = reader.end();
    return { cut, notes: records.end() };
  }

  #hasFirstLine(): boolean {
    const { bytes, from, to } = this.#window;
    return to - from >= HEADER_BYTES_MAX || bytes.indexOf(LINE_FEED, from) < to;
  }

  #openSource(): { readonly reader: CsvReader; readonly records: TableRecords } {
    const { bytes, from, to } = this.#window;
    const head = bytes.toString("utf8", from, Math.min(to, from + HEADER_BYTES_MAX));
    const [firstLine = ""] = head.split("\n", 1);
    const record = new CsvRecord(this.#options.delimiterOf?.(firstLine) ?? COMMA);
    const records = new TableRecords(this.#table, this.#options.name, record);
    return { reader: new CsvReader(this.#window, record, records, this.#sink), records };
  }
}

/** Takes the records of a table: headers, and the rows below them. */
class TableRecords implements CsvRecordTaker {
  readonly plainRecords = 0;
  readonly #table: TableReader;
  readonly #format: string;
  readonly #row: TableRow;
  /** The names of the columns, once they have been read. */
  #names: readonly string[] | undefined;
  #headersSkipped = 0;

  constructor(table: TableReader, format: string, record: CsvRecord) {
    this.#table = table;
    this.#format = format;
    this.#row = new TableRow(record);
  }

  takePlain(_bytes: Uint8Array, from: number): number {
    return from;
  }

  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const row = this.#row;
    const names = this.#names;
    row.begin(names ?? [], bytes, start);
    if (names === undefined) {
      this.#names = row.texts();
      this.#table.begin(new TableColumns(this.#names, this.#format));
      return undefined;
    }
    const reason =
      record.fields === names.length ? this.#table.read(row) : fieldCounts(record, names.length);
    if (reason === undefined || !areEqual(row.texts(), names)) return reason;
    this.#headersSkipped += 1;
    return undefined;
  }

  cutReason(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    if (this.#names === undefined) return undefined;
    if (this.#table.check === undefined) return "the source ends inside a line";
    const wanted = this.#names.length;
    this.#row.begin(this.#names, bytes, start);
    const reason =
      record.fields === wanted ? this.#table.check(this.#row) : fieldCounts(record, wanted);
    return reason === undefined ? undefined : `the source ends inside a row: ${reason}`;
  }

  end(): readonly string[] {
    if (this.#names === undefined) {
      throw new UserError(
        "unreadable-source",
        `cannot read this as ${this.#format}: it has no header line`,
      );
    }
    const notes = [...this.#table.end()];
    if (this.#headersSkipped > 0) {
      notes.push(`header lines among the rows, used and not counted: ${this.#headersSkipped}`);
    }
    return notes;
  }
}

function areEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}

/** The columns of a table, by the names in its first line. */
export class TableColumns {
  readonly names: readonly string[];
  readonly #format: string;

  /** `format` is the name that errors give. */
  constructor(names: readonly string[], format: string) {
    this.names = names;
    this.#format = format;
  }

  /** The first column of that name, if there is one. */
  find(name: string): number | undefined {
    const index = this.names.indexOf(name);
    return index < 0 ? undefined : index;
  }

  /** The first column of one of those names. Throws `unreadable-source` where there is none. */
  require(...names: readonly string[]): number {
    const index = this.names.findIndex((name) => names.includes(name));
    if (index >= 0) return index;
    const [only] = names;
    const wanted =
      names.length === 1 ? `no ${only} column` : `none of the columns ${names.join(", ")}`;
    throw new UserError(
      "unreadable-source",
      `cannot read this as ${this.#format}: the header has ${wanted}, got ${quoted(this.names.join(" "))}`,
    );
  }
}
