/** A batch under the endpoint numbers of its load test, and cut into the blocks it is stored as. */

import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DataPoints } from "../../model/data-points.ts";
import { mergePoints } from "../../model/merge-points.ts";
import { encodeBlock } from "../block/block.ts";
import { pickPoints, sliceDistribution, sliceSums } from "../series.ts";
import type { EncodedBlock } from "./block-rows.ts";
import { encodeEndpointSet } from "./endpoint-set.ts";

/** Encoding hands the event loop back after so long. */
const TURN_MS = 10;

/** Endpoints of the same group are stored together. */
export function groupOf(endpoint: number): number {
  return endpoint >> 4;
}

/** The points under the numbers of their labels, sorted anew. */
export function renumberPoints(
  points: DataPoints,
  numbers: ReadonlyMap<number, number>,
): DataPoints {
  const endpoint = points.endpoint.map((index) => numbers.get(index) as number);
  const runs = runsOf(endpoint, (number) => number);
  const ordered = runs.toSorted((left, right) => left.value - right.value);
  const renumbered = { ...points, endpoint };
  if (ordered.every((run, index) => run === runs[index])) return mergePoints([renumbered]);
  const order = new Uint32Array(endpoint.length);
  let rank = 0;
  for (const { from, until } of ordered) {
    for (let point = from; point < until; point++) order[rank++] = point;
  }
  // Merging does something only where two labels of the batch are the same endpoint.
  return mergePoints([pickPoints(renumbered, order)]);
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
 * Encodes the points of a batch: a staged one as a block for each group of endpoints, a live one as
 * a single block, because it holds few seconds of each endpoint. Long work is done in turns.
 */
export async function encodeBlocks(
  points: DataPoints,
  visibility: "live" | "staged",
): Promise<readonly EncodedBlock[]> {
  const runs =
    visibility === "staged"
      ? runsOf(points.endpoint, groupOf)
      : runsOf(points.endpoint, () => undefined);
  const blocks: EncodedBlock[] = [];
  let turnBeganMs = performance.now();
  for (const { value: group, from, until } of runs) {
    blocks.push(encodeGroup(slicePoints(points, from, until), group));
    if (performance.now() - turnBeganMs < TURN_MS) continue;
    await nextTurn();
    turnBeganMs = performance.now();
  }
  return blocks;
}

function encodeGroup(points: DataPoints, group: number | undefined): EncodedBlock {
  const [first, last] = extremesOf(points.second);
  return {
    endpoint_group: group ?? null,
    endpoints: encodeEndpointSet(points.endpoint),
    points: points.second.length,
    first_second: first,
    last_second: last,
    block: encodeBlock(points),
  };
}

function slicePoints(points: DataPoints, from: number, until: number): DataPoints {
  if (from === 0 && until === points.second.length) return points;
  return {
    endpoint: points.endpoint.slice(from, until),
    ...sliceSums(points, from, until),
    ...sliceDistribution(points, from, until),
  };
}

function extremesOf(second: Uint32Array): [least: number, greatest: number] {
  let [least, greatest] = [Infinity, 0];
  for (const value of second) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return [least, greatest];
}

interface Run<Value> {
  readonly value: Value;
  readonly from: number;
  readonly until: number;
}

/** Neighbouring points whose endpoints have the same value. */
function runsOf<Value>(
  endpoint: Uint32Array,
  valueOf: (endpoint: number) => Value,
): readonly Run<Value>[] {
  const runs: Run<Value>[] = [];
  let from = 0;
  for (let point = 1; point <= endpoint.length; point++) {
    const value = valueOf(endpoint[from] as number);
    if (point < endpoint.length && valueOf(endpoint[point] as number) === value) continue;
    runs.push({ value, from, until: point });
    from = point;
  }
  return runs;
}
