import { ByteWindow } from "./byte-window.ts";
import { CsvReader } from "./csv-reader.ts";
import { CsvRecord } from "./csv-record.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "./decoder.ts";
import type { LabelTable } from "./label-table.ts";
import { RequestTableRecords } from "./request-table-records.ts";
import type { Request } from "./request-rows.ts";
import type { TableColumns } from "./table-columns.ts";
import type { TableRow } from "./table-row.ts";

/** One kind of table in which every row is a request and the first line names the columns. */
export interface RequestTable {
  /** Name of the format. */
  readonly name: string;
  recognises(head: Uint8Array): boolean;
  /** As for the format. */
  readonly needsStart?: true;
  /**
   * Whether the tool ends every line, so that a last row without a line end is cut: nothing tells
   * whether its last field is all there.
   */
  readonly endsEveryLine?: boolean;
  /** The byte between two fields; `firstLine` is the header. */
  delimiterOf(firstLine: string): number;
  /**
   * Begins to read rows with the columns of a header. Throws `unreadable-source` where one is
   * missing that cannot be done without.
   */
  open(columns: TableColumns, options: DecodeOptions, sink: SampleSink): RequestTableRows;
}

export interface RequestTableRows {
  /** The column of the label; `undefined` where there is none, and all requests have one label. */
  readonly label: number | undefined;
  /** The index of a row's label, where it is no column as it stands. */
  labelIn?(row: TableRow, labels: LabelTable): number;
  /** Names of load generators found so far, where the table tells users. */
  readonly generators?: readonly string[];
  /** Reads a row that has as many fields as there are columns; what is wrong is a complaint of it. */
  read(row: TableRow, request: Request): void;
  /** Called for each row that was recorded, after it. */
  recorded?(row: TableRow, request: Request): void;
  /** What a reader of the numbers should know, once all rows are read. */
  notes(): readonly string[];
}

/** The format of such tables. */
export function requestTableFormat(table: RequestTable): Format {
  return {
    name: table.name,
    labelFields: "columns",
    ...(table.needsStart === undefined ? {} : { needsStart: table.needsStart }),
    recognises: (head) => table.recognises(head),
    open: (sink, options) => new RequestTableDecoder(table, options, sink),
  };
}

const LINE_FEED = 0x0a;
/** A header is looked for in this many bytes. */
const HEADER_BYTES_MAX = 64 * 1024;

class RequestTableDecoder implements Decoder {
  readonly #table: RequestTable;
  readonly #sink: SampleSink;
  readonly #window = new ByteWindow();
  readonly #records: RequestTableRecords;
  /** `undefined` until the first line has arrived, which tells the delimiter. */
  #reader: CsvReader | undefined;

  constructor(table: RequestTable, options: DecodeOptions, sink: SampleSink) {
    this.#table = table;
    this.#sink = sink;
    this.#records = new RequestTableRecords(table, options, sink);
  }

  get labels(): readonly string[] {
    return this.#records.rows.labels.texts;
  }

  get failureKinds(): Decoder["failureKinds"] {
    return this.#records.rows.failureKinds;
  }

  get generators(): readonly string[] {
    return this.#records.generators;
  }

  push(bytes: Uint8Array): void {
    this.#window.append(bytes);
    if (this.#reader === undefined && !this.#hasFirstLine()) return;
    this.#reader ??= this.#openReader();
    this.#reader.read();
  }

  flush(): void {
    this.#records.rows.flush();
  }

  end(): DecodeEnd {
    this.#reader ??= this.#openReader();
    this.#reader.read();
    const cut = this.#reader.end();
    return { cut, notes: this.#records.end() };
  }

  #hasFirstLine(): boolean {
    const { bytes, from, to } = this.#window;
    return to - from >= HEADER_BYTES_MAX || bytes.indexOf(LINE_FEED, from) < to;
  }

  #openReader(): CsvReader {
    const { bytes, from, to } = this.#window;
    const head = bytes.toString("utf8", from, Math.min(to, from + HEADER_BYTES_MAX));
    const [firstLine = ""] = head.split("\n", 1);
    const record = new CsvRecord(this.#table.delimiterOf(firstLine));
    this.#records.begin(record);
    return new CsvReader(this.#window, record, this.#records, this.#sink);
  }
}
