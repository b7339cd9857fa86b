/**
 * The response of `GET /Api/Metrics`, computed directly from its definition with BigInt rationals, objects
 * and `JSON.stringify`. The optimised code must match it byte for byte.
 */

import { createHash } from "node:crypto";
import type { SumColumns } from "../../src/model/data-points.ts";
import type { LabelledSample } from "./batches.ts";

export interface PlainPoint {
  readonly second: number;
  readonly requests: number;
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
  readonly failedRequests: number;
  readonly failedElapsedMicros: number;
  readonly failedReceivedBytes: number;
}

export type PlainFormat = "csv" | "xy" | "default";

/** The JSON text of one item; `points` ascend by second. */
export function plainItem(
  label: string,
  points: readonly PlainPoint[],
  format: PlainFormat,
  secondsPerPoint = 1,
): string {
  const hash = createHash("sha1").update(label, "utf8").digest("hex");
  const known = points.filter((point) => point.second !== 0);
  const data =
    format === "csv" ? plainRows(points) : plainSeries(points, known, format, secondsPerPoint);
  return JSON.stringify({ hash, label, data });
}

function plainRows(points: readonly PlainPoint[]): string[][] {
  const header =
    "Timestamp,avgLoadTime,count,downloadSize,errAvgLoadTime,errCount,errDownloadSize".split(",");
  return [
    header,
    ...points.map((point) => [String(point.second), ...Object.values(plainColumns([point]))]),
  ];
}

function plainColumns(points: readonly PlainPoint[]): Record<string, string> {
  const sum = (field: keyof PlainPoint): bigint =>
    points.reduce((total, point) => total + BigInt(point[field]), 0n);
  return {
    avgLoadTime: decimal(sum("elapsedMicros"), sum("requests") * 1000000n),
    count: String(sum("requests")),
    downloadSize: decimal(sum("receivedBytes"), sum("requests")),
    errAvgLoadTime: decimal(sum("failedElapsedMicros"), sum("failedRequests") * 1000000n),
    errCount: String(sum("failedRequests")),
    errDownloadSize: decimal(sum("failedReceivedBytes"), sum("failedRequests")),
  };
}

function plainSeries(
  all: readonly PlainPoint[],
  known: readonly PlainPoint[],
  format: "xy" | "default",
  secondsPerPoint: number,
): unknown {
  const values: Record<string, (point: PlainPoint) => string> = {
    pageRespTimePerSec: (point) => plainColumns([point])["avgLoadTime"] ?? "",
    pageReqPerSec: (point) => decimal(BigInt(point.requests), BigInt(secondsPerPoint)),
    pageKbPerSec: (point) => decimal(BigInt(point.receivedBytes), 1024n * BigInt(secondsPerPoint)),
    pageErrRespTime: (point) => plainColumns([point])["errAvgLoadTime"] ?? "",
    pageErrCount: (point) => decimal(BigInt(point.failedRequests), BigInt(secondsPerPoint)),
    pageErrKb: (point) =>
      decimal(BigInt(point.failedReceivedBytes), 1024n * BigInt(secondsPerPoint)),
  };
  const first = known[0];
  const last = known.at(-1);
  const range =
    first === undefined || last === undefined ? 0 : last.second - first.second + secondsPerPoint;
  const series = Object.entries(values).map(([name, value]) => {
    if (format === "xy") {
      return [name, known.map((point) => ({ x: point.second, y: numeral(value(point)) }))];
    }
    const quoted = name === "pageErrRespTime";
    return [
      name,
      Object.fromEntries(
        known.map((point) => [point.second, quoted ? value(point) : numeral(value(point))]),
      ),
    ];
  });
  return {
    overview: { ...plainColumns(all), range },
    labels: known.map((point) => point.second),
    ...Object.fromEntries(series),
  };
}

/** `numerator / denominator` by long division, rounded half away from zero to 6 places. */
function decimal(numerator: bigint, denominator: bigint): string {
  if (denominator === 0n) return "0";
  let rounded = (numerator * 1000000n) / denominator;
  const rest = (numerator * 1000000n) % denominator;
  if (rest + rest >= denominator) rounded += 1n;
  const digits = String(rounded).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
}

/** A JSON number with exactly these digits, which a `number` cannot always hold. */
function numeral(text: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  return rawJSON(text);
}

export function columnsOf(points: readonly PlainPoint[]): SumColumns {
  const column = (field: keyof PlainPoint): Float64Array =>
    Float64Array.from(points, (point) => point[field]);
  return {
    second: Uint32Array.from(points, (point) => point.second),
    requests: column("requests"),
    elapsedMicros: column("elapsedMicros"),
    receivedBytes: column("receivedBytes"),
    failedRequests: column("failedRequests"),
    failedElapsedMicros: column("failedElapsedMicros"),
    failedReceivedBytes: column("failedReceivedBytes"),
  };
}

export interface PlainQuery {
  readonly select: (label: string, hash: string) => boolean;
  readonly format: PlainFormat;
  readonly from?: number;
  readonly until?: number;
  readonly resolution?: number;
}

/** The JSON text of a complete response, computed from single samples. */
export function plainAnswer(samples: readonly LabelledSample[], query: PlainQuery): string {
  const { from, until, resolution = 1 } = query;
  const isRanged = from !== undefined || until !== undefined;
  const labels = [...new Set(samples.map((sample) => sample.label))]
    .filter((label) => query.select(label, createHash("sha1").update(label).digest("hex")))
    .toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  const items = labels.map((label) => {
    const own = samples.filter(
      ({ label: other, second }) =>
        other === label &&
        !(isRanged && second === 0) &&
        second >= (from ?? 0) &&
        second < (until ?? Infinity),
    );
    return plainItem(label, plainPoints(own, resolution), query.format, resolution);
  });
  return `[${items.join(",")}]`;
}

function plainPoints(samples: readonly LabelledSample[], resolution: number): PlainPoint[] {
  const windowOf = (second: number): number =>
    second === 0 ? 0 : Math.max(1, Math.floor(second / resolution) * resolution);
  const windows = [...new Set(samples.map(({ second }) => windowOf(second)))];
  return windows
    .toSorted((left, right) => left - right)
    .map((second) => {
      const all = samples.filter((sample) => windowOf(sample.second) === second);
      const failed = all.filter((sample) => sample.failed);
      return {
        second,
        requests: all.length,
        elapsedMicros: all.reduce((sum, sample) => sum + sample.elapsedMicros, 0),
        receivedBytes: all.reduce((sum, sample) => sum + sample.receivedBytes, 0),
        failedRequests: failed.length,
        failedElapsedMicros: failed.reduce((sum, sample) => sum + sample.elapsedMicros, 0),
        failedReceivedBytes: failed.reduce((sum, sample) => sum + sample.receivedBytes, 0),
      };
    });
}
