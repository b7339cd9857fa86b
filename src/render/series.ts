import { firstKnownPoint } from "./overview.ts";
import { type Pair, type Points, renderKernel, type Value } from "./render-kernel.ts";
import type { EndpointMetrics, OutputBuffer } from "./renderer.ts";

const BYTES_PER_KIB = 1024;

/** A series of the formats `xy` and default. */
export interface Series {
  readonly name: string;
  readonly value: Value;
}

/** In output order. */
export const SERIES: readonly Series[] = [
  { name: "pageRespTimePerSec", value: { kind: "seconds", sum: "elapsedMicros" } },
  { name: "pageReqPerSec", value: { kind: "rate", sum: "requests", unit: 1 } },
  { name: "pageKbPerSec", value: { kind: "rate", sum: "receivedBytes", unit: BYTES_PER_KIB } },
  { name: "pageErrRespTime", value: { kind: "seconds", sum: "failedElapsedMicros" } },
  { name: "pageErrCount", value: { kind: "rate", sum: "failedRequests", unit: 1 } },
  { name: "pageErrKb", value: { kind: "rate", sum: "failedReceivedBytes", unit: BYTES_PER_KIB } },
];

/** Writes `"labels":[...]`, the known timestamps. */
export function* writeLabels(
  endpoint: EndpointMetrics,
  output: OutputBuffer,
): Generator<Uint8Array> {
  output.ascii('"labels":[');
  yield* writeKnown(endpoint, output, (points, isFirst) =>
    renderKernel().instants(points, isFirst ? "" : ",", output),
  );
  output.ascii("]");
}

export interface Punctuation extends Pick<Pair, "beforeX" | "beforeY"> {
  readonly afterY: string;
}

/** Writes the points with a known timestamp, separated by commas. */
export function* writePoints(
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
