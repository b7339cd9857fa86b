import { timedFailedRequestsOf, timedRequestsOf } from "../model/columns.ts";
import { type SumColumns, pointCount } from "../model/data-points.ts";
import { sumOf } from "../model/exact.ts";
import type { OutputBuffer, EndpointMetrics } from "./renderer.ts";
import { quotientText } from "./quotient-text.ts";

/** Writes the summary of all points, including those at second 0, as a JSON object. */
export function writeOverview(endpoint: EndpointMetrics, output: OutputBuffer): void {
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
export function firstKnownPoint(columns: SumColumns): number {
  return columns.second[0] === 0 ? 1 : 0;
}

/** Seconds from the begin of the first point to the end of the last; 0 without known timestamps. */
function rangeSeconds({ columns, secondsPerPoint }: EndpointMetrics): number {
  const first = columns.second[firstKnownPoint(columns)];
  const lastPoint = pointCount(columns) - 1;
  const last = columns.second[lastPoint];
  if (first === undefined || last === undefined) return 0;
  return last - first + Math.max(secondsPerPoint, columns.windowSeconds?.[lastPoint] ?? 1);
}

function averageSeconds(sumMicros: bigint, count: bigint): string {
  return quotientText(sumMicros, count * 1_000_000n);
}
