import { type SumName, timedFailedRequestsOf, timedRequestsOf } from "../model/columns.ts";
import type { SumColumns } from "../model/data-points.ts";
import type { OutputBuffer, EndpointMetrics } from "./renderer.ts";
import { firstKnownPoint } from "./overview.ts";
import { Pen } from "./pen.ts";
import { writeAverageSeconds, writeQuotient } from "./write-number.ts";

const BYTES_PER_KIB = 1024;

/** A series of the formats `xy` and default: how its value follows from the sums of a point. */
export type Series =
  | {
      readonly name: string;
      readonly kind: "seconds";
      readonly sum: SumName;
      readonly countsOf: (columns: SumColumns) => Float64Array;
    }
  | { readonly name: string; readonly kind: "rate"; readonly sum: SumName; readonly unit: number };

/** In output order. */
export const SERIES: readonly Series[] = [
  { name: "pageRespTimePerSec", kind: "seconds", sum: "elapsedMicros", countsOf: timedRequestsOf },
  { name: "pageReqPerSec", kind: "rate", sum: "requests", unit: 1 },
  { name: "pageKbPerSec", kind: "rate", sum: "receivedBytes", unit: BYTES_PER_KIB },
  {
    name: "pageErrRespTime",
    kind: "seconds",
    sum: "failedElapsedMicros",
    countsOf: timedFailedRequestsOf,
  },
  { name: "pageErrCount", kind: "rate", sum: "failedRequests", unit: 1 },
  { name: "pageErrKb", kind: "rate", sum: "failedReceivedBytes", unit: BYTES_PER_KIB },
];

/** Writes `"labels":[...]`, the known timestamps. */
export function* writeLabels(
  { columns }: EndpointMetrics,
  output: OutputBuffer,
): Generator<Uint8Array> {
  const { second } = columns;
  const pen = new Pen("", "");
  const first = firstKnownPoint(columns);
  output.ascii('"labels":[');
  output.end = writeInstants(second, [first, Math.min(first + 1, second.length)], pen, output);
  pen.beforeX = ",";
  for (let point = first + 1; point < second.length;) {
    const until = Math.min(second.length, point + POINTS_AT_A_TIME);
    output.end = writeInstants(second, [point, until], pen, output);
    point = until;
    if (output.isFull) yield output.take();
  }
  output.ascii("]");
}

function writeInstants(
  second: Uint32Array,
  [from, until]: Indexes,
  pen: Pen,
  { view, end }: OutputBuffer,
): number {
  let at = end;
  for (let point = from; point < until; point++) {
    at = pen.writeX(view, at, second[point] as number);
  }
  return at;
}

export interface Punctuation {
  readonly beforeX: string;
  readonly beforeY: string;
  readonly afterY: string;
}

/** Fits into the margin of the output: a point has at most 46 bytes. */
const POINTS_AT_A_TIME = 128;

/** Writes the points with a known timestamp, separated by commas. */
export function* writePoints(
  endpoint: EndpointMetrics,
  series: Series,
  { beforeX, beforeY, afterY }: Punctuation,
  output: OutputBuffer,
): Generator<Uint8Array> {
  const quotients = quotientsOf(endpoint, series);
  const points = quotients.second.length;
  const first = firstKnownPoint(endpoint.columns);
  if (first === points) return;
  const pen = new Pen(beforeX, beforeY);
  writeQuotients(quotients, [first, first + 1], pen, output);
  pen.beforeX = `${afterY},${beforeX}`;
  for (let point = first + 1; point < points;) {
    const until = Math.min(points, point + POINTS_AT_A_TIME);
    writeQuotients(quotients, [point, until], pen, output);
    point = until;
    if (output.isFull) yield output.take();
  }
  output.ascii(afterY);
}

/** y is `sum / count` as a time in seconds, or `sum / unit`. */
interface Quotients {
  readonly second: Uint32Array;
  readonly sum: Float64Array;
  readonly count: Float64Array | undefined;
  readonly unit: number;
  /** Multiplies `unit` where points differ in length. */
  readonly factor: Uint16Array | undefined;
}

function quotientsOf({ columns, secondsPerPoint }: EndpointMetrics, series: Series): Quotients {
  const { second, windowSeconds } = columns;
  const sum = columns[series.sum];
  if (series.kind === "seconds") {
    return { second, sum, count: series.countsOf(columns), unit: 1, factor: undefined };
  }
  if (windowSeconds === undefined) {
    const unit = series.unit * secondsPerPoint;
    return { second, sum, count: undefined, unit, factor: undefined };
  }
  const factor = windowSeconds.map((seconds) => Math.max(seconds, secondsPerPoint));
  return { second, sum, count: undefined, unit: series.unit, factor };
}

type Indexes = readonly [from: number, until: number];

function writeQuotients(
  quotients: Quotients,
  indexes: Indexes,
  pen: Pen,
  output: OutputBuffer,
): void {
  const { count, factor } = quotients;
  if (count !== undefined) writeAverages({ ...quotients, count }, indexes, pen, output);
  else if (factor !== undefined) writeWindowRates({ ...quotients, factor }, indexes, pen, output);
  else writeRates(quotients, indexes, pen, output);
}

function writeAverages(
  { second, sum, count }: Quotients & { readonly count: Float64Array },
  [from, until]: Indexes,
  pen: Pen,
  output: OutputBuffer,
): void {
  const { view } = output;
  let at = output.end;
  for (let point = from; point < until; point++) {
    at = pen.writeX(view, at, second[point] as number);
    at = writeAverageSeconds(view, at, sum[point] as number, count[point] as number);
  }
  output.end = at;
}

function writeRates(
  { second, sum, unit }: Quotients,
  [from, until]: Indexes,
  pen: Pen,
  output: OutputBuffer,
): void {
  const { view } = output;
  let at = output.end;
  for (let point = from; point < until; point++) {
    at = pen.writeX(view, at, second[point] as number);
    at = writeQuotient(view, at, sum[point] as number, unit);
  }
  output.end = at;
}

function writeWindowRates(
  { second, sum, unit, factor }: Quotients & { readonly factor: Uint16Array },
  [from, until]: Indexes,
  pen: Pen,
  output: OutputBuffer,
): void {
  const { view } = output;
  let at = output.end;
  for (let point = from; point < until; point++) {
    at = pen.writeX(view, at, second[point] as number);
    at = writeQuotient(view, at, sum[point] as number, unit * (factor[point] as number));
  }
  output.end = at;
}
