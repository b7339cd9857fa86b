/** Point columns of responses, combined over all blocks. */

import type { DataPoints } from "../../../model/data-points.ts";
import { BOUNDS } from "../../../model/histogram.ts";
import type { HashIndex } from "./hash-index.ts";
import type { PointDetail } from "../../snapshot.ts";
import { POINT_SUMS, sqlName, SUMS } from "../schema/names.ts";
import type { NativeBlock, NativeNumbers } from "../native/native-block.ts";
import { BOUND, type PointColumn } from "../measured-columns.ts";
import { mergedOutcomes, outcomesIn, plainOutcomes, unfoldedOutcomes } from "../outcome-columns.ts";

/** SELECT list, merged over all batches of a second. */
export function mergedColumns(detail: PointDetail, column: PointColumn): string {
  const columns = POINT_SUMS.map((name) => `sum(${column(name)}) AS a_${name}`);
  columns.push("max(window_seconds) AS a_window_seconds");
  if (detail !== "sums") {
    columns.push(`min(${column("min_micros")}) AS a_min_micros`);
    columns.push(`max(${column("max_micros")}) AS a_max_micros`);
    columns.push(`${mergedHistogram(column)} AS a_histogram`);
  }
  if (detail === "outcomes") columns.push(...mergedOutcomes(column));
  return columns.join(", ");
}

export function mergedHistogram(column: PointColumn): string {
  return `sumMap(${column("histogram.bucket")}, ${column("histogram.requests")})`;
}

/** Smallest types that fit, by column: most numbers are small. */
export type NarrowTypes = ReadonlyMap<string, string>;

/** SELECT list for a merged copy, as compact as possible. */
export function plainColumns(detail: PointDetail, narrow: NarrowTypes): string {
  const columns = [...POINT_SUMS, "window_seconds"].map((name) => {
    const type = narrow.get(name);
    return type === undefined ? `${name} AS a_${name}` : `to${type}(${name}) AS a_${name}`;
  });
  if (detail !== "sums") {
    columns.push("min_micros AS a_min_micros", "max_micros AS a_max_micros");
    columns.push("histogram.bucket AS a_bucket", "histogram.requests AS a_bucket_requests");
  }
  if (detail === "outcomes") columns.push(...plainOutcomes());
  return columns.join(", ");
}

/** SELECT list around merged columns: the histogram as two arrays. */
export function unfoldedColumns(detail: PointDetail): string {
  const names = [...POINT_SUMS, "window_seconds"].map((name) => `a_${name}`);
  if (detail !== "sums") {
    names.push("a_min_micros", "a_max_micros");
    names.push("a_histogram.1 AS a_bucket", "a_histogram.2 AS a_bucket_requests");
  }
  if (detail === "outcomes") names.push(...unfoldedOutcomes());
  return names.join(", ");
}

/** Collects all points of a response, block by block; endpoints are indexes of `hashes`. */
export async function gatherPoints(
  answer: AsyncIterable<NativeBlock>,
  hashes: HashIndex,
  detail: PointDetail,
): Promise<DataPoints> {
  const parts: Part[] = [];
  for await (const block of answer) {
    if (block.rows === 0) continue;
    const endpoint = block.names.includes("endpoint_number")
      ? hashes.indexesOfNumbers(block.bigints("endpoint_number"))
      : hashes.indexesOf(block.bytesOf("endpoint_hash").bytes);
    parts.push({ block, endpoint, firstSecond: block.numbers("second")[0] as number });
  }
  // A server reads a sorted table with several threads: blocks are sorted internally, but interleaved.
  parts.sort(byFirstPoint);
  const blocks = parts.map(({ block }) => block);
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  const column = <Target extends Float64Array | Uint32Array | Uint16Array>(
    name: string,
    target: Target,
    most?: number,
  ): Target => {
    let at = 0;
    for (const block of blocks) {
      block.copyNumbers(name, target, { at, most });
      at += block.rows;
    }
    return target;
  };
  const floats = (name: string) => column(name, new Float64Array(rows));
  const sums = Object.fromEntries(
    SUMS.map((name) => [name, floats(`a_${sqlName(name)}`)]),
  ) as Record<(typeof SUMS)[number], Float64Array>;
  const points: DataPoints = {
    endpoint: concatenate(
      new Uint32Array(rows),
      parts.map((part) => part.endpoint),
    ),
    second: column("second", new Uint32Array(rows)),
    ...sums,
    windowSeconds: column("a_window_seconds", new Uint16Array(rows)),
    ...(detail === "sums"
      ? { minMicros: new Float64Array(rows), maxMicros: new Float64Array(rows) }
      : extremesOf((name) => column(name, new Float64Array(rows), BOUND), sums)),
    ...(detail === "sums" ? noHistograms(rows) : histogramsOf(blocks, rows)),
  };
  return detail === "outcomes" ? { ...points, outcomes: outcomesIn(blocks, points) } : points;
}

interface Part {
  readonly block: NativeBlock;
  readonly endpoint: Uint32Array;
  readonly firstSecond: number;
}

function byFirstPoint(left: Part, right: Part): number {
  const byEndpoint = (left.endpoint[0] as number) - (right.endpoint[0] as number);
  return byEndpoint || left.firstSecond - right.firstSecond;
}

function extremesOf(
  bounds: (name: string) => Float64Array,
  { requests, untimedRequests }: Record<"requests" | "untimedRequests", Float64Array>,
) {
  const [minMicros, maxMicros] = [bounds("a_min_micros"), bounds("a_max_micros")];
  for (let point = 0; point < requests.length; point++) {
    const isUntimed = untimedRequests[point] === requests[point];
    if (!isUntimed && maxMicros[point] !== BOUND) continue;
    const { min, max } = isUntimed ? BOUNDS.none : BOUNDS.unknown;
    [minMicros[point], maxMicros[point]] = [min, max];
  }
  return { minMicros, maxMicros };
}

type Histograms = Pick<DataPoints, "bucketsFrom" | "bucket" | "bucketCount">;

function noHistograms(rows: number): Histograms {
  return {
    bucketsFrom: new Uint32Array(rows + 1),
    bucket: new Uint16Array(0),
    bucketCount: new Float64Array(0),
  };
}

function histogramsOf(blocks: readonly NativeBlock[], rows: number): Histograms {
  const buckets = blocks.map((block) => block.arrays("a_bucket"));
  const counts = blocks.map((block) => block.arrays("a_bucket_requests").values);
  const bucketsFrom = new Uint32Array(rows + 1);
  let [row, entries] = [0, 0];
  for (const { from, values } of buckets) {
    for (let own = 1; own < from.length; own++) {
      bucketsFrom[++row] = entries + (from[own] as number);
    }
    entries += values.length;
  }
  return {
    bucketsFrom,
    bucket: concatenate(
      new Uint16Array(entries),
      buckets.map(({ values }) => values),
    ),
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
