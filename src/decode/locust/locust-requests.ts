import type { Format } from "../decoder.ts";
import { beginsWith } from "../quoted.ts";
import type { LabelTable } from "../labels/label-table.ts";
import { methodLabel } from "../labels/label-template.ts";
import { requestTableFormat, type RequestTableRows } from "../csv/request-table.ts";
import type { Request } from "../csv/request-rows.ts";
import type { TableColumns } from "../csv/csv-table.ts";
import type { TableRow } from "../csv/table-row.ts";

/** The request log of `locust.contrib.csv_request_logger`: docs/internals/formats/locust.md. */
export const locustRequests: Format = requestTableFormat({
  name: "locust-requests",
  recognises: (head) => beginsWith(head, "timestamp,request_type,name,response_time_ms"),
  endsEveryLine: true,
  delimiterOf: () => 0x2c,
  open: (columns) => new LocustRequestRows(columns),
});

/** Seconds of 2001 to 2286 have ten digits; other lengths were overwritten by another process. */
const TIMESTAMP = /^\d{10}(?:\.\d+)?$/;

class LocustRequestRows implements RequestTableRows {
  readonly label = undefined;
  readonly #timestamp: number;
  readonly #type: number;
  readonly #name: number;
  readonly #elapsed: number;
  readonly #size: number;
  readonly #status: number;
  readonly #exception: number;

  constructor(columns: TableColumns) {
    this.#timestamp = columns.require("timestamp");
    this.#type = columns.require("request_type");
    this.#name = columns.require("name");
    this.#elapsed = columns.require("response_time_ms");
    this.#size = columns.require("response_length");
    this.#status = columns.require("status_code");
    this.#exception = columns.require("exception");
  }

  labelIn(row: TableRow, labels: LabelTable): number {
    return methodLabel(labels, row.contents(this.#type), row.contents(this.#name));
  }

  read(row: TableRow, request: Request): void {
    request.second = this.#second(row);
    request.elapsedMicros = row.scaled(this.#elapsed, 3, "milliseconds");
    if (row.has(this.#size)) request.receivedBytes = row.whole(this.#size, "a number of bytes");
    const status = row.has(this.#status) ? row.whole(this.#status, "a status") : 0;
    request.hasFailed = row.has(this.#exception);
    if (!request.hasFailed) return;
    // Status 0: no response.
    request.code = status === 0 ? "" : `${status}`;
    request.message = row.text(this.#exception);
  }

  notes(): readonly string[] {
    return [];
  }

  #second(row: TableRow): number {
    const text = row.text(this.#timestamp);
    if (TIMESTAMP.test(text)) return Math.floor(Number(text));
    return row.complain(this.#timestamp, "seconds since 1970 with ten digits");
  }
}
