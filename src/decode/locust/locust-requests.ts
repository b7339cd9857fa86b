import { LOCUST_REQUESTS } from "./about.ts";
import type { Format } from "../decoder.ts";
import { beginsWith } from "../quoted.ts";
import { methodLabel } from "../labels/label-template.ts";
import { requestTableFormat } from "../csv/request-table.ts";
import { startAt } from "../requests/request-rows.ts";
import type { TableRow } from "../csv/table-row.ts";

/** The request log of `locust.contrib.csv_request_logger`: docs/internals/formats/locust.md. */
export const locustRequests: Format = requestTableFormat({
  ...LOCUST_REQUESTS,
  recognises: (head) => beginsWith(head, "timestamp,request_type,name,response_time_ms"),
  endsEveryLine: true,
  open(columns) {
    const [timestamp, type, name] = columns.requireAll("timestamp", "request_type", "name");
    const [elapsed, size] = columns.requireAll("response_time_ms", "response_length");
    const [statusCode, exception] = columns.requireAll("status_code", "exception");
    return {
      details: { columns: { method: type } },
      labelIn: (row, labels) => methodLabel(labels, row.contents(type), row.contents(name)),
      read(row, request) {
        startAt(request, microsIn(row, timestamp));
        row.readElapsed(request, elapsed, 3, "milliseconds");
        row.readSize(request, size);
        const known = row.has(statusCode);
        const status = known ? row.known("fields-misplaced", statusCode, 0, "a status") : 0;
        request.hasFailed = row.has(exception);
        if (!request.hasFailed) return;
        // Status 0: no response.
        request.code = status ? `${status}` : "";
        request.message = row.text(exception);
      },
    };
  },
});

/** Seconds of 2001 to 2286 have ten digits; other lengths were overwritten by another process. */
const MICROS_PER_SECOND = 1_000_000;
const TIMESTAMP = /^\d{10}(?:\.\d+)?$/;

function microsIn(row: TableRow, column: number): number {
  const text = row.text(column);
  if (TIMESTAMP.test(text)) {
    const second = Math.floor(Number(text));
    return second * MICROS_PER_SECOND + Math.floor((Number(text) - second) * MICROS_PER_SECOND);
  }
  return row.complain(column, "seconds since 1970 with ten digits");
}
