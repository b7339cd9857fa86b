import { CSV_COLUMNS } from "../api/metrics.ts";
import { timedFailedRequestsOf, timedRequestsOf } from "../model/columns.ts";
import { pointCount } from "../model/data-points.ts";
import { Pen, writeItemHead } from "./pen.ts";
import type { OutputBuffer, EndpointMetrics, Renderer } from "./renderer.ts";
import { createStamp, writeStamp, writeOverview } from "./overview.ts";
import { writeAverageSeconds, writeInteger, writeQuotient } from "./write-number.ts";
import { type Punctuation, SERIES, writeLabels, writePoints, type Series } from "./series.ts";

/** `data` is an array of rows of strings: the header, then one row per point. */
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

/** Fits into the margin of the output: a row has at most 163 bytes. */
const ROWS_AT_A_TIME = 32;
const NEXT_CELL = createStamp('","');

const ROW_END = createStamp('"]');

const NO_FAILURES = createStamp('","0","0","0"]');

const PAIRS: Punctuation = { beforeX: '{"x":', beforeY: ',"y":', afterY: "}" };

const NUMBERS: Punctuation = { beforeX: '"', beforeY: '":', afterY: "" };

const STRINGS: Punctuation = { beforeX: '"', beforeY: '":"', afterY: '"' };

/** `data` is an object with every series as an array of `{x, y}` numbers. */
export const xyRenderer = seriesRenderer("xy", ["[", "]"], () => PAIRS);

/** `data` is an object with every series as an object from x to y. */
export const defaultRenderer = seriesRenderer("default", ["{", "}"], punctuationOf);

function seriesRenderer(
  format: Renderer["format"],
  [open, close]: readonly [string, string],
  punctuate: (series: Series) => Punctuation,
): Renderer {
  return {
    format,
    *render(endpoint, output) {
      writeItemHead(endpoint, output);
      if (output.isFull) yield output.take();
      output.ascii('{"overview":');
      writeOverview(endpoint, output);
      output.ascii(",");
      yield* writeLabels(endpoint, output);
      for (const series of SERIES) {
        output.ascii(`,"${series.name}":${open}`);
        yield* writePoints(endpoint, series, punctuate(series), output);
        output.ascii(close);
      }
      output.ascii("}}");
    },
  };
}

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

/** The specification wants the values of this series as strings, in this format only. */
function punctuationOf(series: Series): Punctuation {
  return series.name === "pageErrRespTime" ? STRINGS : NUMBERS;
}
