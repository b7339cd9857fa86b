import { CSV_COLUMNS } from "../api/metrics.ts";
import { endOfPoints, timedFailedRequestsOf, timedRequestsOf } from "../model/columns.ts";
import { type SumColumns, pointCount } from "../model/data-points.ts";
import { sumOf } from "../model/exact.ts";
import { quotientText } from "./quotient-text.ts";
import { type Pair, type Points, type Value, renderKernel } from "./render-kernel.ts";
import type { EndpointMetrics, OutputBuffer, Renderer } from "./renderer.ts";

/** `data` is an array of rows of strings: the header, then one row per point. */
export const csvRenderer: Renderer = {
  format: "csv",
  *render(endpoint, output) {
    writeItemHead(endpoint, output);
    if (output.isFull) yield output.take();
    output.ascii(`[${JSON.stringify(CSV_COLUMNS)}`);
    const points = pointCount(endpoint.columns);
    for (let from = 0; from < points;) {
      from = renderKernel().rows({ endpoint, from, until: points }, output);
      if (output.isFull) yield output.take();
    }
    output.ascii("]}");
  },
};

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

/** The specification wants the values of this series as strings, in this format only. */
function punctuationOf(series: Series): Punctuation {
  return series.name === "pageErrRespTime" ? STRINGS : NUMBERS;
}

/** Writes hash, label, and everything up to the value of `data`. */
function writeItemHead(endpoint: EndpointMetrics, output: OutputBuffer): void {
  output.ascii(`{"hash":"${endpoint.hash}","label":`);
  output.jsonString(endpoint.label);
  output.ascii(',"data":');
}

const BYTES_PER_KIB = 1024;

/** A series of the formats `xy` and default. */
interface Series {
  readonly name: string;
  readonly value: Value;
}

/** In output order. */
const SERIES: readonly Series[] = [
  { name: "pageRespTimePerSec", value: { kind: "seconds", sum: "elapsedMicros" } },
  { name: "pageReqPerSec", value: { kind: "rate", sum: "requests", unit: 1 } },
  { name: "pageKbPerSec", value: { kind: "rate", sum: "receivedBytes", unit: BYTES_PER_KIB } },
  { name: "pageErrRespTime", value: { kind: "seconds", sum: "failedElapsedMicros" } },
  { name: "pageErrCount", value: { kind: "rate", sum: "failedRequests", unit: 1 } },
  { name: "pageErrKb", value: { kind: "rate", sum: "failedReceivedBytes", unit: BYTES_PER_KIB } },
];

/** Writes `"labels":[...]`, the known timestamps. */
function* writeLabels(endpoint: EndpointMetrics, output: OutputBuffer): Generator<Uint8Array> {
  output.ascii('"labels":[');
  yield* writeKnown(endpoint, output, (points, isFirst) =>
    renderKernel().instants(points, isFirst ? "" : ",", output),
  );
  output.ascii("]");
}

interface Punctuation extends Pick<Pair, "beforeX" | "beforeY"> {
  readonly afterY: string;
}

/** Writes the points with a known timestamp, separated by commas. */
function* writePoints(
  endpoint: EndpointMetrics,
  { value }: Series,
  { beforeX, beforeY, afterY }: Punctuation,
  output: OutputBuffer,
): Generator<Uint8Array> {
  const first = { beforeX, beforeY, value };
  const next = { ...first, beforeX: `${afterY},${beforeX}` };
  yield* writeKnown(endpoint, output, (points, isFirst) =>
    renderKernel().pairs(points, isFirst ? first : next, output),
  );
  if (firstKnownPoint(endpoint.columns) < endpoint.columns.second.length) output.ascii(afterY);
}

/** Calls `write` for the first point, and then for all others until it has written them. */
function* writeKnown(
  endpoint: EndpointMetrics,
  output: OutputBuffer,
  write: (points: Points, isFirst: boolean) => number,
): Generator<Uint8Array> {
  const { length } = endpoint.columns.second;
  const first = firstKnownPoint(endpoint.columns);
  for (let from = first; from < length;) {
    const isFirst = from === first;
    from = write({ endpoint, from, until: isFirst ? first + 1 : length }, isFirst);
    if (output.isFull) yield output.take();
  }
}

/** Writes the summary of all points, including those at second 0, as a JSON object. */
function writeOverview(endpoint: EndpointMetrics, output: OutputBuffer): void {
  const { columns } = endpoint;
  const requests = sumOf(columns.requests);
  const failed = sumOf(columns.failedRequests);
  const texts = {
    avgLoadTime: averageSeconds(sumOf(columns.elapsedMicros), sumOf(timedRequestsOf(columns))),
    count: requests.toString(),
    downloadSize: quotientText(sumOf(columns.receivedBytes), requests),
    errAvgLoadTime: averageSeconds(
      sumOf(columns.failedElapsedMicros),
      sumOf(timedFailedRequestsOf(columns)),
    ),
    errCount: failed.toString(),
    errDownloadSize: quotientText(sumOf(columns.failedReceivedBytes), failed),
  };
  output.ascii(JSON.stringify({ ...texts, range: rangeSeconds(endpoint) }));
}

/** Returns the index of the first point after second 0: 1 or 0. */
function firstKnownPoint(columns: SumColumns): number {
  return columns.second[0] === 0 ? 1 : 0;
}

/** Seconds from the beginning of the first point to the last end of any; 0 without known timestamps. */
function rangeSeconds({ columns, secondsPerPoint }: EndpointMetrics): number {
  const first = columns.second[firstKnownPoint(columns)];
  const last = columns.second.at(-1);
  if (first === undefined || last === undefined) return 0;
  return Math.max(last + secondsPerPoint, endOfPoints(columns)) - first;
}

function averageSeconds(sumMicros: bigint, count: bigint): string {
  return quotientText(sumMicros, count * 1_000_000n);
}
