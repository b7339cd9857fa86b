import { COMMA, QUOTE } from "../bytes/ascii.ts";
import { VEGETA_CSV, VEGETA_JSON } from "./about.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader, type CsvRecordHandler } from "../csv/csv-reader.ts";
import { CsvRecord, fieldCounts } from "../csv/csv-record.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { headText, quoted } from "../quoted.ts";
import { TableRow } from "../csv/table-row.ts";
import { WindowDecoder } from "../window-decoder.ts";
import { VegetaResults } from "./vegeta-results.ts";
import { JsonFields } from "../json/json-fields.ts";
import { type Instant, readInstant } from "../bytes/k6-instant.ts";
import type { RowRepairs } from "../row-repairs.ts";
import { lineDecoder, type RequestLines, type RequestRows } from "../requests/request-rows.ts";

/** Output of `vegeta encode --to csv` and `vegeta dump`: docs/internals/formats/vegeta.md. */
export const vegetaCsv: Format = {
  ...VEGETA_CSV,
  recognises: (head) => FIRST_ROW.test(headText(head)),
  open(sink, options) {
    const [window, record] = [new ByteWindow(), new CsvRecord(COMMA)];
    const results = new VegetaResults(sink, options);
    const { rows } = results;
    return new WindowDecoder(window, {
      reader: new CsvReader(window, record, new VegetaCsvRecords(results, record), sink),
      rows,
      finish: () => [...results.notes(), ...rows.notes()],
    });
  },
};

/** Timestamp, code, latency, bytes out, bytes in, error. */
const FIRST_ROW = /^\d{19},\d{1,3},\d+,\d+,\d+,/;
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
/** The end of the last field, and a timestamp. */
const JOINED = /\d{19}$/;
/** Nanoseconds; captures the seconds, and milliseconds within. */
const TIMESTAMP = /^(\d{1,10})(\d{3})\d{6}$/;

class VegetaCsvRecords implements CsvRecordHandler {
  readonly #results: VegetaResults;
  readonly #row: TableRow;
  /** Number of fields of the first row, which differs by version. */
  #fields: number | undefined;

  readonly repairs: RowRepairs;

  constructor(results: VegetaResults, record: CsvRecord) {
    this.#results = results;
    this.repairs = results.rows.repairs;
    this.#row = new TableRow(record);
  }

  take(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    if (record.fields >= FIELDS_MIN && record.fields <= COLUMNS.length) {
      this.#fields ??= record.fields;
    }
    const wanted = this.#fields ?? COLUMNS.length;
    const isRagged = record.fields !== wanted;
    const row = this.#row;
    row.begin(COLUMNS, bytes, start);
    if (this.#isNoRow(record.fields)) return fieldCounts(record, wanted);
    // What comes after the error may be misplaced.
    const last = isRagged ? FIELDS_MIN : wanted;
    const text = (column: number): string => (column < last ? row.text(column) : "");
    const [, seconds, millis] = TIMESTAMP.exec(row.text(0)) ?? [];
    if (seconds === undefined) row.complain(0, "nanoseconds since 1970");
    // A comma too many in front of the error makes a number of it.
    if (isRagged && /^\d+$/.test(text(5))) return fieldCounts(record, wanted);
    const result = {
      second: Number(seconds),
      millis: Number(millis),
      code: row.whole(1, "a whole number"),
      latencyNanos: row.known("time-unknown", 2, 0, "nanoseconds"),
      bytesIn: row.known("size-unknown", 4, 0, "bytes"),
      isRagged,
      error: text(5),
      attack: text(7),
      method: text(9),
      url: text(10),
      sentBytes: Number(text(3)),
      body: () => inBase64(text(6)),
      headers: () => inBase64(text(11)),
    };
    return row.complaint ?? this.#results.take(result);
  }

  /** Less than a row, or the last one of a file without an end of line and the first of the next. */
  #isNoRow(fields: number): boolean {
    const last = (fields - 1) / 2;
    const areTwo = last + 1 === this.#fields && JOINED.test(this.#row.text(last));
    return fields < FIELDS_MIN || areTwo;
  }

  /** Only version 6 ends with the error, always quoted. */
  cutReason(record: CsvRecord, bytes: Uint8Array, start: number): string | undefined {
    const wanted = this.#fields ?? COLUMNS.length;
    const isClosed = wanted > FIELDS_MIN || bytes[start + record.length - 1] === QUOTE;
    if (record.fields >= wanted && isClosed) return undefined;
    return `the source ends inside a row: ${fieldCounts(record, wanted)}`;
  }
}

/** Output of `vegeta encode --to json`: docs/internals/formats/vegeta.md. */
export const vegetaJson: Format = {
  ...VEGETA_JSON,
  recognises: isVegetaJson,
  open: (sink, options) => lineDecoder(new VegetaJsonLines(sink, options), sink),
};

/** Present before the body in all versions; Vegeta 7 has neither attack nor number. */
const SIGNS = [/"code":\s*\d/, /"timestamp":\s*"/, /"latency":\s*\d/, /"bytes_in":\s*\d/];

function isVegetaJson(head: Uint8Array): boolean {
  const [line = ""] = headText(head).split("\n", 1);
  return line.startsWith("{") && SIGNS.every((sign) => sign.test(line));
}

const encoder = new TextEncoder();
const NANOS_PER_MS = 1_000_000;

function inBase64(text: string): string {
  return Buffer.from(text, "base64").toString();
}

/** Of a list for each name. */
function headerLines(headers: JsonFields | undefined): string {
  const names = headers?.names ?? [];
  return names.map((name) => `${name}: ${headers?.textsIfKnown(name).join(", ")}`).join("\n");
}

class VegetaJsonLines implements RequestLines {
  readonly rows: RequestRows;
  readonly #results: VegetaResults;
  readonly #started: Instant = { second: 0, nanos: 0, hasParts: false };

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#results = new VegetaResults(sink, options);
    this.rows = this.#results.rows;
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    const text = bytes.toString("utf8", from, to);
    const fields = JsonFields.parse(text);
    if (fields === undefined) {
      return `cannot read the line: got ${quoted(text)}, want a JSON object`;
    }
    const timestamp = fields.text("timestamp");
    const written = encoder.encode(timestamp);
    if (!readInstant(written, 0, written.length, this.#started)) {
      return fields.complaint ?? `cannot read timestamp: got ${quoted(timestamp)}, want RFC 3339`;
    }
    const optional = (name: string): string => (fields.has(name) ? fields.text(name) : "");
    const result = {
      second: this.#started.second,
      millis: Math.floor(this.#started.nanos / NANOS_PER_MS),
      latencyNanos: fields.wholeIfKnown("latency"),
      code: fields.whole("code"),
      bytesIn: fields.wholeIfKnown("bytes_in"),
      error: optional("error"),
      attack: optional("attack"),
      method: optional("method"),
      url: optional("url"),
      sentBytes: fields.wholeIfKnown("bytes_out"),
      body: () => inBase64(fields.textIfKnown("body")),
      headers: () => headerLines(fields.objectIfKnown("headers")),
    };
    return fields.complaint ?? this.#results.take(result);
  }

  isWhole(bytes: Buffer, from: number, to: number): boolean {
    return JsonFields.parse(bytes.toString("utf8", from, to)) !== undefined;
  }

  notes(): string[] {
    return this.#results.notes();
  }
}
