import type { Format, SampleSink } from "../decoder.ts";
import { beginsWith } from "../quoted.ts";
import { requestTableFormat, type RequestTableRows } from "../csv/request-table.ts";
import type { Request } from "../csv/request-rows.ts";
import type { TableColumns } from "../csv/csv-table.ts";
import type { TableRow } from "../csv/table-row.ts";

/**
 * Written by executors of Taurus other than JMeter: JMeter's columns in other orders, timestamps of the end.
 * docs/internals/formats/taurus.md.
 */
export const taurusCsv: Format = requestTableFormat({
  name: "taurus-csv",
  recognises: (head) => HEADERS.some((header) => beginsWith(head, header)),
  endsEveryLine: true,
  delimiterOf: () => 0x2c,
  open: (columns, _options, sink) => new TaurusRows(columns, sink),
});

const HEADERS = [
  // Apiritif: Python scripts.
  "timeStamp,elapsed,Latency,label,responseCode,responseMessage,success",
  // Taurus' wrapper of Locust.
  "allThreads,timeStamp,label,method,elapsed,bytes,responseCode,responseMessage,success",
];

const MICROS_PER_SECOND = 1_000_000;
const SECOND_LIMIT = 2 ** 32;
/** Every process writes its own file. */
const GENERATOR = 0;

class TaurusRows implements RequestTableRows {
  readonly label: number;
  readonly generators = [""];
  readonly #sink: SampleSink;
  readonly #timeStamp: number;
  readonly #elapsed: number;
  readonly #code: number;
  readonly #message: number;
  readonly #success: number;
  readonly #size: number;
  readonly #users: number;
  /** End of the last row. */
  #endSecond = 0;
  #active = 0;

  constructor(columns: TableColumns, sink: SampleSink) {
    this.#sink = sink;
    this.label = columns.require("label");
    this.#timeStamp = columns.require("timeStamp");
    this.#elapsed = columns.require("elapsed");
    this.#code = columns.require("responseCode");
    this.#message = columns.require("responseMessage");
    this.#success = columns.require("success");
    this.#size = columns.require("bytes");
    this.#users = columns.require("allThreads");
  }

  read(row: TableRow, request: Request): void {
    const endMicros = row.scaled(this.#timeStamp, 3, "milliseconds since 1970");
    request.elapsedMicros = row.scaled(this.#elapsed, 3, "milliseconds");
    request.second = Math.floor((endMicros - request.elapsedMicros) / MICROS_PER_SECOND);
    this.#endSecond = Math.floor(endMicros / MICROS_PER_SECOND);
    if (request.second < 1 || this.#endSecond >= SECOND_LIMIT) {
      row.complain(this.#timeStamp, "milliseconds since 1970, until 2106");
    }
    if (row.has(this.#size)) request.receivedBytes = row.whole(this.#size, "a number of bytes");
    this.#active = row.has(this.#users) ? row.whole(this.#users, "a number of users") : 0;
    request.hasFailed = !this.#hasPassed(row);
    if (!request.hasFailed) return;
    request.code = row.text(this.#code);
    request.message = row.text(this.#message);
  }

  recorded(): void {
    this.#sink.recordActiveUsers(GENERATOR, this.#endSecond, this.#active);
  }

  notes(): readonly string[] {
    return [];
  }

  #hasPassed(row: TableRow): boolean {
    const text = row.text(this.#success).toLowerCase();
    if (text !== "true" && text !== "false") row.complain(this.#success, "true or false");
    return text === "true";
  }
}
