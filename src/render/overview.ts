import { type SumColumns, pointCount } from "../model/data-points.ts";
import type { OutputBuffer } from "./output-buffer.ts";
import type { EndpointMetrics } from "./renderer.ts";
import { quotientText } from "./write-number.ts";

/** Writes the summary of all points, those without an instant included, as a JSON object. */
export function writeOverview(endpoint: EndpointMetrics, output: OutputBuffer): void {
  const { columns } = endpoint;
  const requests = total(columns.requests);
  const failed = total(columns.failedRequests);
  const texts = {
    avgLoadTime: averageSeconds(total(columns.elapsedMicros), requests),
    count: requests.toString(),
    downloadSize: quotientText(total(columns.receivedBytes), requests),
    errAvgLoadTime: averageSeconds(total(columns.failedElapsedMicros), failed),
    errCount: failed.toString(),
    errDownloadSize: quotientText(total(columns.failedReceivedBytes), failed),
  };
  output.ascii(JSON.stringify({ ...texts, range: rangeSeconds(endpoint) }));
}

/** The first point whose instant is known: 1 where the first one is second 0, else 0. */
export function firstKnownPoint(columns: SumColumns): number {
  return columns.second[0] === 0 ? 1 : 0;
}

/** Seconds from the begin of the first point to the end of the last; 0 without a known instant. */
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

/** The exact sum of a column, which may pass 2^53 although none of its values does. */
function total(column: Float64Array): bigint {
  let exact = 0n;
  let part = 0;
  for (let index = 0; index < column.length; index++) {
    const value = column[index] as number;
    if (part + value > Number.MAX_SAFE_INTEGER) {
      exact += BigInt(part);
      part = 0;
    }
    part += value;
  }
  return exact + BigInt(part);
}
