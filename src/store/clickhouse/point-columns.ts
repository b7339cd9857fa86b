/** The columns of points in answers, put together over all blocks of an answer. */

import type { DataPoints } from "../../model/data-points.ts";
import type { HashIndex } from "./hash-index.ts";
import type { NativeBlock, NativeNumbers } from "./native-block.ts";

export type PointDetail = "sums" | "distribution";

/** Columns that merge by addition. */
export const POINT_SUMS = [
  "requests",
  "elapsed_micros",
  "received_bytes",
  "failed_requests",
  "failed_elapsed_micros",
  "failed_received_bytes",
] as const;

/** What is selected, merged over all batches of a second. */
export function mergedColumns(detail: PointDetail): string {
  const columns = POINT_SUMS.map((name) => `sum(${name}) AS a_${name}`);
  columns.push("max(window_seconds) AS a_window_seconds");
  if (detail === "distribution") {
    columns.push("min(min_micros) AS a_min_micros", "max(max_micros) AS a_max_micros");
    columns.push("sumMap(histogram.bucket, histogram.requests) AS a_histogram");
  }
  return columns.join(", ");
}

/** The same out of a copy in which they are merged already. */
export function plainColumns(detail: PointDetail): string {
  const names = [...POINT_SUMS, "window_seconds"];
  const columns = names.map((name) => `${name} AS a_${name}`);
  if (detail === "distribution") {
    columns.push("min_micros AS a_min_micros", "max_micros AS a_max_micros");
    columns.push("histogram.bucket AS a_bucket", "histogram.requests AS a_bucket_requests");
  }
  return columns.join(", ");
}

/** What is selected around merged columns: the histogram as two arrays. */
export function unfoldedColumns(detail: PointDetail): string {
  const names = [...POINT_SUMS, "window_seconds"].map((name) => `a_${name}`);
  if (detail === "distribution") {
    names.push("a_min_micros", "a_max_micros");
    names.push("a_histogram.1 AS a_bucket", "a_histogram.2 AS a_bucket_requests");
  }
  return names.join(", ");
}

/** All points of an answer, in the order of its rows; endpoints are indexes of `hashes`. */
export async function gatherPoints(
  blocks: AsyncIterable<NativeBlock>,
  hashes: HashIndex,
  detail: PointDetail,
): Promise<DataPoints> {
  const parts: Part[] = [];
  for await (const block of blocks) if (block.rows > 0) parts.push(partOf(block, hashes, detail));
  const rows = parts.reduce((sum, { second }) => sum + second.length, 0);
  const floats = (pick: (part: Part) => NativeNumbers) =>
    concatenate(new Float64Array(rows), parts.map(pick));
  const integers = (pick: (part: Part) => NativeNumbers) =>
    concatenate(new Uint32Array(rows), parts.map(pick));
  const [
    requests,
    elapsedMicros,
    receivedBytes,
    failedRequests,
    failedElapsedMicros,
    failedReceivedBytes,
  ] = POINT_SUMS.map((_, at) => floats(({ sums }) => sums[at] as NativeNumbers)) as SixColumns;
  return {
    endpoint: integers(({ endpoint }) => endpoint),
    second: integers(({ second }) => second),
    requests,
    elapsedMicros,
    receivedBytes,
    failedRequests,
    failedElapsedMicros,
    failedReceivedBytes,
    windowSeconds: concatenate(
      new Uint16Array(rows),
      parts.map(({ windowSeconds }) => windowSeconds),
    ),
    minMicros: floats(({ minMicros }) => minMicros),
    maxMicros: floats(({ maxMicros }) => maxMicros),
    ...histogramsOf(parts, rows),
  };
}

type SixColumns = [
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
];

interface Part {
  readonly endpoint: Uint32Array;
  readonly second: NativeNumbers;
  readonly sums: readonly NativeNumbers[];
  readonly windowSeconds: NativeNumbers;
  readonly minMicros: NativeNumbers;
  readonly maxMicros: NativeNumbers;
  readonly bucketsFrom: Uint32Array;
  readonly bucket: NativeNumbers;
  readonly bucketRequests: NativeNumbers;
}

function partOf(block: NativeBlock, hashes: HashIndex, detail: PointDetail): Part {
  const column = (name: string) => block.numbers(name);
  const common = {
    endpoint: hashes.indexesOf(block.bytesOf("endpoint_hash").bytes),
    second: column("second"),
    sums: POINT_SUMS.map((name) => column(`a_${name}`)),
    windowSeconds: column("a_window_seconds"),
  };
  if (detail === "sums") {
    const none = new Uint16Array(0);
    const zeros = new Float64Array(block.rows);
    return {
      ...common,
      minMicros: zeros,
      maxMicros: zeros,
      bucketsFrom: new Uint32Array(block.rows + 1),
      bucket: none,
      bucketRequests: none,
    };
  }
  const buckets = block.arrays("a_bucket");
  return {
    ...common,
    minMicros: column("a_min_micros"),
    maxMicros: column("a_max_micros"),
    bucketsFrom: buckets.from,
    bucket: buckets.values,
    bucketRequests: block.arrays("a_bucket_requests").values,
  };
}

function histogramsOf(
  parts: readonly Part[],
  rows: number,
): Pick<DataPoints, "bucketsFrom" | "bucket" | "bucketCount"> {
  const bucketsFrom = new Uint32Array(rows + 1);
  let [row, entries] = [0, 0];
  for (const part of parts) {
    for (let own = 1; own < part.bucketsFrom.length; own++) {
      bucketsFrom[++row] = entries + (part.bucketsFrom[own] as number);
    }
    entries += part.bucket.length;
  }
  const buckets = parts.map(({ bucket }) => bucket);
  const counts = parts.map(({ bucketRequests }) => bucketRequests);
  return {
    bucketsFrom,
    bucket: concatenate(new Uint16Array(entries), buckets),
    bucketCount: concatenate(new Float64Array(entries), counts),
  };
}

function concatenate<Target extends Float64Array | Uint32Array | Uint16Array>(
  target: Target,
  parts: readonly NativeNumbers[],
): Target {
  let at = 0;
  for (const part of parts) {
    target.set(part, at);
    at += part.length;
  }
  return target;
}
