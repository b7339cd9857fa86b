import { timedFailedRequestsOf, timedRequestsOf } from "../model/columns.ts";
import { pointCount } from "../model/data-points.ts";
import { Pen, writeItemHead } from "./pen.ts";
import type { OutputBuffer } from "./output-buffer.ts";
import type { EndpointMetrics, Renderer } from "./renderer.ts";
import { createStamp, writeStamp } from "./overview.ts";
import { writeAverageSeconds, writeInteger, writeQuotient } from "./write-number.ts";

/** The columns, in order: the first row. */
export const CSV_COLUMNS = [
  "Timestamp",
  "avgLoadTime",
  "count",
  "downloadSize",
  "errAvgLoadTime",
  "errCount",
  "errDownloadSize",
];

/** `data` is an array of rows, all cells strings: the header, then one row for each point. */
export const csvRenderer: Renderer = {
  format: "csv",
  *render(endpoint, output) {
    writeItemHead(endpoint, output);
    if (output.isFull) yield output.take();
    output.ascii(`[${JSON.stringify(CSV_COLUMNS)}`);
    const points = pointCount(endpoint.columns);
    const pen = new Pen(',["', '","');
    for (let point = 0; point < points;) {
      const until = Math.min(points, point + ROWS_AT_A_TIME);
      writeRows(endpoint, [point, until], pen, output);
      point = until;
      if (output.isFull) yield output.take();
    }
    output.ascii("]}");
  },
};

/** Few enough to fit into the margin of the output: a row has at most 163 bytes. */
const ROWS_AT_A_TIME = 32;

const NEXT_CELL = createStamp('","');
const ROW_END = createStamp('"]');
const NO_FAILURES = createStamp('","0","0","0"]');

/** Writes the rows of points `[from, until)`. */
function writeRows(
  { columns }: EndpointMetrics,
  [from, until]: readonly [number, number],
  pen: Pen,
  output: OutputBuffer,
): void {
  const { view } = output;
  const [timed, timedFailed] = [timedRequestsOf(columns), timedFailedRequestsOf(columns)];
  let at = output.end;
  for (let point = from; point < until; point++) {
    const requests = columns.requests[point] as number;
    const failed = columns.failedRequests[point] as number;
    at = pen.writeX(view, at, columns.second[point] as number);
    at = writeAverageSeconds(
      view,
      at,
      columns.elapsedMicros[point] as number,
      timed[point] as number,
    );
    at = writeStamp(view, at, NEXT_CELL);
    at = writeInteger(view, at, requests);
    at = writeStamp(view, at, NEXT_CELL);
    at = writeQuotient(view, at, columns.receivedBytes[point] as number, requests);
    if (failed === 0) {
      at = writeStamp(view, at, NO_FAILURES);
      continue;
    }
    at = writeStamp(view, at, NEXT_CELL);
    const failedMicros = columns.failedElapsedMicros[point] as number;
    at = writeAverageSeconds(view, at, failedMicros, timedFailed[point] as number);
    at = writeStamp(view, at, NEXT_CELL);
    at = writeInteger(view, at, failed);
    at = writeStamp(view, at, NEXT_CELL);
    at = writeQuotient(view, at, columns.failedReceivedBytes[point] as number, failed);
    at = writeStamp(view, at, ROW_END);
  }
  output.end = at;
}
