import type { FailureKind } from "../model/failures.ts";
import { UserError } from "../model/errors.ts";
import { ByteWindow } from "./byte-window.ts";
import { CsvReader, type CsvRecordTaker } from "./csv-reader.ts";
import { CsvRecord } from "./csv-record.ts";
import type { DecodeEnd, Decoder, SampleSink } from "./decoder.ts";
import { fieldCounts } from "./request-table-records.ts";
import { TableRow } from "./table-row.ts";

/** What a format makes of a CSV file whose first line names the columns. */
export interface TableReader {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  /** Learns where the columns stand. Throws `unreadable-source` where one that is needed is not. */
  begin(names: readonly string[]): void;
  /** Reads a row, which has as many fields as there are names. Returns why it cannot be read. */
  read(row: TableRow): string | undefined;
  /** Hands over what does not have to wait for later rows. */
  flush(): void;
  /** Hands over what is left. What a reader of the numbers should know. */
  end(): readonly string[];
}

const COMMA = 0x2c;

/**
 * Decodes CSV with a header, separated by commas, of a tool that ends every line: a last row
 * without a line end is taken as cut, since nothing tells whether its last field is all there.
 */
export class CsvTable implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #window = new ByteWindow();
  readonly #records: TableRecords;
  readonly #reader: CsvReader;

  constructor(table: TableReader, sink: SampleSink) {
    this.labels = table.labels;
    this.failureKinds = table.failureKinds;
    this.generators = table.generators;
    const record = new CsvRecord(COMMA);
    this.#records = new TableRecords(table, record);
    this.#reader = new CsvReader(this.#window, record, this.#records, sink);
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#reader.read();
  }

  flush(): void {
    this.#records.table.flush();
  }

  end(): DecodeEnd {
    const cut = this.#reader.end();
    return { cut, notes: this.#records.end() };
  }
}

class TableRecords implements CsvRecordTaker {
  readonly plainRecords = 0;
  readonly table: TableReader;
  readonly #row: TableRow;
  /** The names of the columns, once they have been read. */
  #names: readonly string[] | undefined;
  #headersSkipped = 0;

  constructor(table: TableReader, record: CsvRecord) {
    this.table = table;
    this.#row = new TableRow(record);
  }

  takePlain(_bytes: Uint8Array, from: number): number {
    return from;
  }

  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const row = this.#row;
    row.begin(this.#names ?? [], bytes, start);
    if (this.#names === undefined) {
      this.#names = row.texts();
      this.table.begin(this.#names);
      return undefined;
    }
    const reason =
      record.fields === this.#names.length
        ? this.table.read(row)
        : fieldCounts(record, this.#names.length);
    if (reason === undefined || row.texts().join() !== this.#names.join()) return reason;
    this.#headersSkipped += 1;
    return undefined;
  }

  cutReason(): string | undefined {
    if (this.#names === undefined) return undefined;
    return "the source ends inside a line";
  }

  end(): readonly string[] {
    if (this.#names === undefined) {
      throw new UserError("unreadable-source", "cannot read this as CSV: there is no header line");
    }
    const notes = this.table.end();
    if (this.#headersSkipped === 0) return notes;
    return [...notes, `header lines among the rows, not counted: ${this.#headersSkipped}`];
  }
}
