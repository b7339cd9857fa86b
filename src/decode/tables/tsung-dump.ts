import { TSUNG_DUMP } from "./about.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { scaledOf } from "../bytes/exact-number.ts";
import { headText, quoted } from "../quoted.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { lineDecoder, type RequestLines, RequestRows, startAt } from "../requests/request-rows.ts";

/** In header order. */
const COLUMNS = TSUNG_DUMP.labelFields;
type Column = (typeof COLUMNS)[number];
type Row = Readonly<Record<Column, string>>;

/** Columns before and after the URL, which alone may contain semicolons. */
const IN_FRONT = COLUMNS.indexOf("URL");
const AFTER_URL = COLUMNS.length - IN_FRONT - 1;
const HEADER = /^#date;pid;id;http method;/;

/** The dump of Tsung with `dumptraffic="protocol"`. */
export const tsungDump: Format = {
  ...TSUNG_DUMP,
  recognises: (head) => HEADER.test(headText(head)),
  open: (sink, options) => lineDecoder(new TsungRows(sink, options), sink),
};

class TsungRows implements RequestLines {
  readonly rows: RequestRows;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, COLUMNS);
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    const line = bytes.toString("utf8", from, to);
    if (line.startsWith("#")) return undefined;
    const row = rowOf(line);
    if (row === undefined) {
      return `got ${line.split(";").length} columns, want ${COLUMNS.length} between semicolons`;
    }
    return this.#takeRow(row);
  }

  /** Text after the last semicolon is unused. In a broken row with semicolons in its URL, numbers are missing. */
  isWhole(bytes: Buffer, from: number, to: number): boolean {
    const line = bytes.toString("utf8", from, to);
    if (line.startsWith("#")) return true;
    const row = rowOf(line);
    return row !== undefined && this.#read(row) === undefined;
  }

  #takeRow(row: Row): string | undefined {
    const usual = `${row.method.toUpperCase()} ${row.host}${row.URL}`;
    return this.#read(row) ?? this.rows.record(this.rows.labelOf(row, usual));
  }

  /** Reads a row without its label and records nothing. Returns why it cannot be read. */
  #read(row: Row): string | undefined {
    const endMicros = scaledOf(row.date, 6);
    if (endMicros === undefined) return unreadable(row, "date", "seconds since 1970");
    const elapsedMicros = scaledOf(row.duration, 3);
    const receivedBytes = row.size === "" ? undefined : scaledOf(row.size, 0);
    if (!/^\d+$/.test(row.status) && row.error === "") {
      return unreadable(row, "status", "a status, or an error");
    }
    const request = this.rows.begin();
    startAt(request, endMicros - (elapsedMicros ?? 0));
    const { pid, method, host, URL } = row;
    this.rows.details = () => ({ thread: pid, method, url: `${host}${URL}` });
    if (elapsedMicros === undefined) this.rows.untime(unreadable(row, "duration", "milliseconds"));
    else request.elapsedMicros = elapsedMicros;
    request.receivedBytes = receivedBytes;
    if (receivedBytes === undefined && row.size !== "") {
      this.rows.repairs.add("size-unknown", unreadable(row, "size", "bytes"));
    }
    request.hasFailed = row.error !== "" || hasFailedStatus(Number(row.status));
    request.code = row.status;
    request.message = row.error;
    return undefined;
  }
}

/** `undefined` if columns are missing. */
function rowOf(line: string): Row | undefined {
  const parts = line.split(";");
  if (parts.length < COLUMNS.length) return undefined;
  const url = parts.slice(IN_FRONT, parts.length - AFTER_URL).join(";");
  const fields = [...parts.slice(0, IN_FRONT), url, ...parts.slice(-AFTER_URL)];
  return Object.fromEntries(COLUMNS.map((name, at) => [name, fields[at]])) as Row;
}

function unreadable(row: Row, column: Column, wanted: string): string {
  return `cannot read the ${column}: got ${quoted(row[column])}, want ${wanted}`;
}
