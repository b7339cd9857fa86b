import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader, type CsvRecordHandler } from "../csv/csv-reader.ts";
import { CsvRecord, fieldCounts } from "../csv/csv-record.ts";
import type { Format } from "../decoder.ts";
import { headText } from "../quoted.ts";
import { TableRow } from "../csv/table-row.ts";
import { WindowDecoder } from "../window-decoder.ts";
import { VEGETA_LABEL_FIELDS, VegetaResults } from "./vegeta-results.ts";

/** Output of `vegeta encode --to csv` and `vegeta dump`: docs/internals/formats/vegeta.md. */
export const vegetaCsv: Format = {
  name: "vegeta-csv",
  labelFields: VEGETA_LABEL_FIELDS,
  recognises: (head) => FIRST_ROW.test(headText(head)),
  open(sink, options) {
    const [window, record] = [new ByteWindow(), new CsvRecord(COMMA)];
    const results = new VegetaResults(sink, options);
    const { rows } = results;
    return new WindowDecoder(window, {
      reader: new CsvReader(window, record, new VegetaCsvRecords(results, record), sink),
      rows,
      notes: () => [...results.notes(), ...rows.notes()],
    });
  },
};

/** Timestamp, code, latency, bytes out, bytes in, error. */
const FIRST_ROW = /^\d{19},\d{1,3},\d+,\d+,\d+,/;
const COMMA = 0x2c;
const QUOTE = 0x22;
/** Of the newest version; older ones lack some at the end. */
const COLUMNS = [
  "timestamp",
  "code",
  "latency",
  "bytes_out",
  "bytes_in",
  "error",
  "body",
  "attack",
  "seq",
  "method",
  "url",
  "headers",
];
/** Of version 6. */
const FIELDS_MIN = 6;
/** Nanoseconds; captures the seconds. */
const TIMESTAMP = /^(\d{1,10})\d{9}$/;

class VegetaCsvRecords implements CsvRecordHandler {
  readonly fastRecords = 0;
  readonly #results: VegetaResults;
  readonly #row: TableRow;
  /** Number of fields of the first row, which differs by version. */
  #fields: number | undefined;

  constructor(results: VegetaResults, record: CsvRecord) {
    this.#results = results;
    this.#row = new TableRow(record);
  }

  takeFast(_bytes: Uint8Array, from: number): number {
    return from;
  }

  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    if (record.fields >= FIELDS_MIN && record.fields <= COLUMNS.length) {
      this.#fields ??= record.fields;
    }
    const wanted = this.#fields ?? COLUMNS.length;
    if (record.fields !== wanted) return fieldCounts(record, wanted);
    const row = this.#row;
    row.begin(COLUMNS, bytes, start);
    const text = (column: number): string => (column < wanted ? row.text(column) : "");
    const [, seconds] = TIMESTAMP.exec(row.text(0)) ?? [];
    if (seconds === undefined) row.complain(0, "nanoseconds since 1970");
    const result = {
      second: Number(seconds),
      code: row.whole(1, "a whole number"),
      latencyNanos: row.whole(2, "nanoseconds"),
      bytesIn: row.whole(4, "bytes"),
      error: text(5),
      attack: text(7),
      method: text(9),
      url: text(10),
    };
    return row.complaint ?? this.#results.take(result);
  }

  /** Only version 6 ends with the error, always quoted. */
  cutReason(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const wanted = this.#fields ?? COLUMNS.length;
    const isClosed = wanted > FIELDS_MIN || bytes[start + record.length - 1] === QUOTE;
    if (record.fields >= wanted && isClosed) return undefined;
    return `the source ends inside a row: ${fieldCounts(record, wanted)}`;
  }
}
