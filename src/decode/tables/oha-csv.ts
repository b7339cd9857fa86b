import type { DecodeOptions, Format } from "../decoder.ts";
import { beginsWith } from "../quoted.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { requestTableFormat, type RequestTableRows } from "../csv/request-table.ts";
import type { Request } from "../csv/request-rows.ts";
import { RunClock } from "../run-clock.ts";
import type { TableColumns } from "../csv/csv-table.ts";
import type { TableRow } from "../csv/table-row.ts";
import { unansweredLeftOut } from "../notes.ts";

/** The CSV that `oha --output-format csv` prints: docs/internals/formats/hey-oha-ab.md. */
export const ohaCsv: Format = requestTableFormat({
  name: "oha-csv",
  needsStart: true,
  recognises: (head) => beginsWith(head, "request-start,DNS"),
  delimiterOf: () => 0x2c,
  wholeLastFields: { status: /^\d{3}$/ },
  open: (columns, options) => new OhaRows(columns, options),
});

class OhaRows implements RequestTableRows {
  readonly label = undefined;
  readonly #start: number;
  readonly #elapsed: number;
  readonly #bytes: number;
  readonly #status: number;
  readonly #clock: RunClock;

  constructor(columns: TableColumns, { startedAtMs }: DecodeOptions) {
    this.#start = columns.require("request-start");
    this.#elapsed = columns.require("request-duration");
    this.#bytes = columns.require("bytes");
    this.#status = columns.require("status");
    this.#clock = new RunClock(startedAtMs);
  }

  read(row: TableRow, request: Request): void {
    request.second = this.#clock.secondOf(row.scaled(this.#start, 9, "seconds"));
    request.elapsedMicros = row.scaled(this.#elapsed, 6, "seconds");
    request.receivedBytes = row.whole(this.#bytes, "a whole number of bytes");
    request.hasFailed = hasFailedStatus(row.whole(this.#status, "a status"));
    if (request.hasFailed) request.code = row.text(this.#status);
  }

  notes(): readonly string[] {
    return [...this.#clock.notes("oha"), unansweredLeftOut("oha")];
  }
}
