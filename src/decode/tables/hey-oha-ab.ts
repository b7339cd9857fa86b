import { TAB } from "../bytes/ascii.ts";
import { AB_TSV, HEY_CSV, OHA_CSV } from "./about.ts";
import { requestTableFormat } from "../csv/request-table.ts";
import type { TableRow } from "../csv/table-row.ts";
import type { Format } from "../decoder.ts";
import { type Request, startAt } from "../requests/request-rows.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { atSecondZero, noSizes, unansweredLeftOut, RunClock } from "../notes.ts";
import { beginsWith } from "../quoted.ts";

/** Decimals of microseconds. */
const SECONDS = 6;

/** The CSV that `hey -o csv` prints. */
export const heyCsv: Format = requestTableFormat({
  ...HEY_CSV,
  recognises: (head) => beginsWith(head, "response-time,DNS+dialup"),
  wholeLastFields: { offset: /\.\d{4}$/, "status-code": /^\d{3}$/ },
  open(columns, { startedAtMs }) {
    const elapsed = columns.require("response-time");
    const offset = columns.find("offset");
    const statusCode = columns.find("status-code");
    const clock = new RunClock(offset === undefined ? undefined : startedAtMs);
    const columnsOfPhases = {
      dnsMicros: columns.find("DNS"),
      sendMicros: columns.find("Request-write"),
      waitMicros: columns.find("Response-delay"),
      receiveMicros: columns.find("Response-read"),
    };
    return {
      details: { columns: columnsOfPhases, decimals: SECONDS },
      read(row, request) {
        row.readElapsed(request, elapsed, SECONDS, "seconds");
        if (offset !== undefined) start(clock, request, row, offset);
        if (statusCode === undefined) return;
        request.hasFailed = hasFailedStatus(row.whole(statusCode, "a status"));
        if (request.hasFailed) request.code = row.text(statusCode);
      },
      notes: () => [
        ...(offset === undefined ? [atSecondZero("no offset column")] : clock.notes("hey")),
        noSizes("hey"),
        unansweredLeftOut("hey"),
        ...(statusCode === undefined ? ["no status-code column: no request counts as failed"] : []),
      ],
    };
  },
});

/** The CSV that `oha --output-format csv` prints. */
export const ohaCsv: Format = requestTableFormat({
  ...OHA_CSV,
  recognises: (head) => beginsWith(head, "request-start,DNS"),
  wholeLastFields: { status: /^\d{3}$/ },
  open(columns, { startedAtMs }) {
    const [started, elapsed] = columns.requireAll("request-start", "request-duration");
    const [bytes, status] = columns.requireAll("bytes", "status");
    const clock = new RunClock(startedAtMs);
    return {
      details: { columns: { dnsMicros: columns.find("DNS") }, decimals: SECONDS },
      read(row, request) {
        start(clock, request, row, started);
        row.readElapsed(request, elapsed, SECONDS, "seconds");
        row.readSize(request, bytes);
        request.hasFailed = hasFailedStatus(row.whole(status, "a status"));
        if (request.hasFailed) request.code = row.text(status);
      },
      notes: () => [...clock.notes("oha"), unansweredLeftOut("oha")],
    };
  },
});

/** The file that `ab -g FILE` writes. */
export const abTsv: Format = requestTableFormat({
  ...AB_TSV,
  recognises: (head) => beginsWith(head, "starttime\tseconds\t"),
  delimiterOf: () => TAB,
  // The last field, time waited, is unused.
  wholeLastFields: {},
  open(columns) {
    const [second, elapsed] = columns.requireAll("seconds", "ttime");
    return {
      read(row, request) {
        request.second = row.whole(second, "UNIX seconds");
        row.readElapsed(request, elapsed, 3, "milliseconds");
      },
      notes: () => [
        noSizes("ab"),
        "ab does not record whether a request failed: no request counts as failed",
      ],
    };
  },
});

function start(clock: RunClock, request: Request, row: TableRow, offset: number): void {
  const nanos = row.known("start-unknown", offset, 9, "seconds");
  if (nanos !== undefined) startAt(request, clock.microsAt(nanos));
}
