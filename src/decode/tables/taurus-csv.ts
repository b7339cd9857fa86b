import { TAURUS_CSV } from "./about.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import type { Format } from "../decoder.ts";
import { beginsWith } from "../quoted.ts";
import { requestTableFormat } from "../csv/request-table.ts";
import { startAt } from "../requests/request-rows.ts";
import type { TableRow } from "../csv/table-row.ts";

/** Of Taurus executors but JMeter: JMeter's columns in other orders, timestamps of the end. */
export const taurusCsv: Format = requestTableFormat({
  ...TAURUS_CSV,
  recognises: (head) => HEADERS.some((header) => beginsWith(head, header)),
  endsEveryLine: true,
  ragged: { texts: ["responseMessage", "label"], outcome: ["success"] },
  open(columns, _options, sink) {
    const [timeStamp, elapsed, success] = columns.requireAll("timeStamp", "elapsed", "success");
    const [code, message] = columns.requireAll("responseCode", "responseMessage");
    const [size, users] = columns.requireAll("bytes", "allThreads");
    let endSecond = 0;
    let active = 0;
    return {
      label: columns.require("label"),
      generators: [""],
      details: {
        columns: { method: columns.find("method"), latencyMicros: columns.find("Latency") },
      },
      read(row, request) {
        const endMicros = row.scaled(timeStamp, 3, "milliseconds since 1970");
        row.readElapsed(request, elapsed, 3, "milliseconds");
        startAt(request, endMicros - request.elapsedMicros);
        endSecond = Math.floor(endMicros / MICROS_PER_SECOND);
        if (request.second < 1 || endSecond >= SECOND_LIMIT) {
          row.complain(timeStamp, "milliseconds since 1970, until 2106");
        }
        row.readSize(request, size);
        active = row.has(users) ? row.whole(users, "a number of users") : 0;
        request.hasFailed = !hasPassed(row, success);
        if (!request.hasFailed) return;
        request.code = row.text(code);
        request.message = row.text(message);
      },
      recorded: () => sink.recordActiveUsers(GENERATOR, endSecond, active),
    };
  },
});

const HEADERS = [
  // Apiritif: Python scripts.
  "timeStamp,elapsed,Latency,label,responseCode,responseMessage,success",
  // Taurus' wrapper of Locust.
  "allThreads,timeStamp,label,method,elapsed,bytes,responseCode,responseMessage,success",
];

const MICROS_PER_SECOND = 1_000_000;
/** Every process writes its own file. */
const GENERATOR = 0;

function hasPassed(row: TableRow, column: number): boolean {
  const text = row.text(column).toLowerCase();
  if (text !== "true" && text !== "false") row.complain(column, "true or false");
  return text === "true";
}
