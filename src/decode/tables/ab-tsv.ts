import type { Format } from "../decoder.ts";
import { beginsWith } from "../quoted.ts";
import { requestTableFormat, type RequestTableRows } from "../csv/request-table.ts";
import type { Request } from "../csv/request-rows.ts";
import type { TableColumns } from "../csv/csv-table.ts";
import type { TableRow } from "../csv/table-row.ts";
import { noSizes } from "../notes.ts";

/** The file that `ab -g FILE` writes: docs/internals/formats/hey-oha-ab.md. */
export const abTsv: Format = requestTableFormat({
  name: "ab-tsv",
  recognises: (head) => beginsWith(head, "starttime\tseconds\t"),
  delimiterOf: () => 0x09,
  // The last field, time waited, is unused.
  wholeLastFields: {},
  open: (columns) => new AbRows(columns),
});

class AbRows implements RequestTableRows {
  readonly label = undefined;
  readonly #second: number;
  readonly #elapsed: number;

  constructor(columns: TableColumns) {
    this.#second = columns.require("seconds");
    this.#elapsed = columns.require("ttime");
  }

  read(row: TableRow, request: Request): void {
    request.second = row.whole(this.#second, "UNIX seconds");
    request.elapsedMicros = row.scaled(this.#elapsed, 3, "milliseconds");
  }

  notes(): readonly string[] {
    return [
      noSizes("ab"),
      "ab does not record whether a request failed: no request counts as failed",
    ];
  }
}
