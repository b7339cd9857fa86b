/** A batch under the endpoint numbers of its load test, and cut into the blocks it is stored as. */

import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DataPoints } from "../../model/data-points.ts";
import { mergePoints } from "../../model/merge-points.ts";
import { encodeBlock } from "../block/block.ts";
import { arrangePoints, lowerBound, type Stretch } from "../series.ts";
import type { EncodedBlock } from "./block-rows.ts";
import { encodeEndpointSet } from "./endpoint-set.ts";

/** Encoding a block is one turn of the event loop: so many points take about 10 ms. */
const BLOCK_POINTS_MAX = 16_384;

/** Endpoints of the same group are stored together. */
export function groupOf(endpoint: number): number {
  return endpoint >> 4;
}

function endOfGroup(ascending: Uint32Array, group: number): number {
  return lowerBound(ascending, (group + 1) << 4);
}

/** The points under the numbers of their labels, sorted anew. */
export function renumberPoints(
  points: DataPoints,
  numbers: ReadonlyMap<number, number>,
): DataPoints {
  const runs = endpointRuns(points.endpoint).map((run) => ({
    ...run,
    endpoint: numbers.get(run.endpoint) as number,
  }));
  const ordered = runs.toSorted((left, right) => left.endpoint - right.endpoint);
  const inOrder = ordered.every((run, index) => run === runs[index]);
  const moved = inOrder ? points : arrangePoints(points, ordered);
  const endpoint = new Uint32Array(points.endpoint.length);
  let at = 0;
  for (const { endpoint: number, from, until } of ordered) {
    endpoint.fill(number, at, at + until - from);
    at += until - from;
  }
  // Merging does something only where two labels of the batch are the same endpoint.
  return mergePoints([{ ...moved, endpoint }]);
}

/** SHA-256 of the points: the same for the same contents, however the labels were numbered. */
export function digestOf(points: DataPoints): Uint8Array {
  const digest = createHash("sha256");
  digest.update(Uint32Array.of(points.second.length));
  for (const column of [
    points.endpoint,
    points.second,
    points.requests,
    points.elapsedMicros,
    points.receivedBytes,
    points.failedRequests,
    points.failedElapsedMicros,
    points.failedReceivedBytes,
    points.minMicros,
    points.maxMicros,
    points.bucketsFrom,
    points.bucket,
    points.bucketCount,
  ]) {
    digest.update(column);
  }
  return digest.digest();
}

/**
 * Encodes the points of a batch: a staged one as blocks for each group of endpoints, a live one with
 * all endpoints together, because it holds few seconds of each. Other work gets a turn before each
 * block and after the last one.
 */
export async function encodeBlocks(
  points: DataPoints,
  visibility: "live" | "staged",
): Promise<readonly EncodedBlock[]> {
  const blocks: EncodedBlock[] = [];
  let from = 0;
  while (from < points.endpoint.length) {
    await nextTurn();
    const group = visibility === "staged" ? groupOf(points.endpoint[from] as number) : null;
    const end = group === null ? points.endpoint.length : endOfGroup(points.endpoint, group);
    const until = Math.min(end, from + BLOCK_POINTS_MAX);
    blocks.push(encodePart(viewOf(points, from, until), group));
    from = until;
  }
  await nextTurn();
  return blocks;
}

function encodePart(points: DataPoints, group: number | null): EncodedBlock {
  const [first, last] = extremesOf(points.second);
  return {
    endpoint_group: group,
    endpoints: encodeEndpointSet(points.endpoint),
    points: points.second.length,
    first_second: first,
    last_second: last,
    block: encodeBlock(points),
  };
}

/** The points of a stretch in the same memory, except for where their buckets are. */
function viewOf(points: DataPoints, from: number, until: number): DataPoints {
  const firstEntry = points.bucketsFrom[from] as number;
  const lastEntry = points.bucketsFrom[until] as number;
  const bucketsFrom = new Uint32Array(until - from + 1);
  for (let point = from; point <= until; point++) {
    bucketsFrom[point - from] = (points.bucketsFrom[point] as number) - firstEntry;
  }
  return {
    endpoint: points.endpoint.subarray(from, until),
    second: points.second.subarray(from, until),
    requests: points.requests.subarray(from, until),
    elapsedMicros: points.elapsedMicros.subarray(from, until),
    receivedBytes: points.receivedBytes.subarray(from, until),
    failedRequests: points.failedRequests.subarray(from, until),
    failedElapsedMicros: points.failedElapsedMicros.subarray(from, until),
    failedReceivedBytes: points.failedReceivedBytes.subarray(from, until),
    minMicros: points.minMicros.subarray(from, until),
    maxMicros: points.maxMicros.subarray(from, until),
    bucketsFrom,
    bucket: points.bucket.subarray(firstEntry, lastEntry),
    bucketCount: points.bucketCount.subarray(firstEntry, lastEntry),
  };
}

function extremesOf(second: Uint32Array): [least: number, greatest: number] {
  let least = Infinity;
  let greatest = 0;
  for (let point = 0; point < second.length; point++) {
    const value = second[point] as number;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

interface EndpointRun extends Stretch {
  readonly endpoint: number;
}

/** Neighbouring points of the same endpoint. */
function endpointRuns(endpoint: Uint32Array): readonly EndpointRun[] {
  const runs: EndpointRun[] = [];
  let from = 0;
  for (let point = 1; point <= endpoint.length; point++) {
    if (point < endpoint.length && endpoint[point] === endpoint[from]) continue;
    runs.push({ endpoint: endpoint[from] as number, from, until: point });
    from = point;
  }
  return runs;
}
