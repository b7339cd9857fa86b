import type { DecodeOptions, Format } from "../decoder.ts";
import { beginsWith } from "../quoted.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { requestTableFormat, type RequestTableRows } from "../csv/request-table.ts";
import type { Request } from "../csv/request-rows.ts";
import { RunClock } from "../run-clock.ts";
import type { TableColumns } from "../csv/csv-table.ts";
import type { TableRow } from "../csv/table-row.ts";
import { atSecondZero, noSizes, unansweredLeftOut } from "../notes.ts";

/** The CSV that `hey -o csv` prints: docs/internals/formats/hey-oha-ab.md. */
export const heyCsv: Format = requestTableFormat({
  name: "hey-csv",
  needsStart: true,
  recognises: (head) => beginsWith(head, "response-time,DNS+dialup"),
  delimiterOf: () => 0x2c,
  wholeLastFields: { offset: /\.\d{4}$/, "status-code": /^\d{3}$/ },
  open: (columns, options) => new HeyRows(columns, options),
});

class HeyRows implements RequestTableRows {
  readonly label = undefined;
  readonly #elapsed: number;
  readonly #offset: number | undefined;
  readonly #status: number | undefined;
  readonly #clock: RunClock;

  constructor(columns: TableColumns, { startedAtMs }: DecodeOptions) {
    this.#elapsed = columns.require("response-time");
    this.#offset = columns.find("offset");
    this.#status = columns.find("status-code");
    this.#clock = new RunClock(this.#offset === undefined ? undefined : startedAtMs);
  }

  read(row: TableRow, request: Request): void {
    request.elapsedMicros = row.scaled(this.#elapsed, 6, "seconds");
    if (this.#offset !== undefined) {
      request.second = this.#clock.secondOf(row.scaled(this.#offset, 9, "seconds"));
    }
    if (this.#status === undefined) return;
    const status = row.whole(this.#status, "a status");
    request.hasFailed = hasFailedStatus(status);
    if (request.hasFailed) request.code = row.text(this.#status);
  }

  notes(): readonly string[] {
    return [
      ...(this.#offset === undefined
        ? [atSecondZero("no offset column")]
        : this.#clock.notes("hey")),
      noSizes("hey"),
      unansweredLeftOut("hey"),
      ...(this.#status === undefined ? ["no status-code column: no request counts as failed"] : []),
    ];
  }
}
