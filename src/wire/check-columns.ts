/** What stores rely on in the numbers of a batch, looked at where they come in from outside. */

import { BUCKET_COUNT } from "../model/histogram.ts";
import { badBatch } from "./bad-batch.ts";
import type { BatchColumns } from "./batch-columns.ts";
import type { BatchHead } from "./batch-head.ts";

/** Throws `bad-batch` with the first thing that is wrong. */
export function checkColumns(columns: BatchColumns, head: BatchHead): void {
  const { points, labels, kinds, generators } = head;
  checkSorted("point", [columns.endpoint, columns.second]);
  checkRange("endpoint of point", columns.endpoint, 0, labels.length - 1);
  checkSums(columns);
  checkBuckets(columns, points);
  if (head.windows) checkRange("window of point", columns.windowSeconds, 1, 65_535);
  const { failureEndpoint, failureKind, failureSecond } = columns;
  checkSorted("failure", [failureEndpoint, failureKind, failureSecond]);
  checkRange("endpoint of failure", failureEndpoint, 0, labels.length - 1);
  checkRange("kind of failure", failureKind, 0, kinds.length - 1);
  checkWhole("requests of failure", columns.failureRequests, 1);
  checkSorted("users", [columns.userGenerator, columns.userSecond]);
  checkRange("generator of users", columns.userGenerator, 0, generators.length - 1);
  checkRange("second of users", columns.userSecond, 1, 2 ** 32 - 1);
  checkWhole("active of users", columns.usersActive, 0);
  checkWhole("started of users", columns.usersStarted, 0);
  checkWhole("ended of users", columns.usersEnded, 0);
}

function checkSums(columns: BatchColumns): void {
  checkWhole("requests of point", columns.requests, 1);
  checkWhole("elapsedMicros of point", columns.elapsedMicros, 0);
  checkWhole("receivedBytes of point", columns.receivedBytes, 0);
  checkWhole("minMicros of point", columns.minMicros, 0);
  checkWhole("maxMicros of point", columns.maxMicros, 0);
  checkAtMost("minMicros of point", columns.minMicros, columns.maxMicros);
  checkWhole("failedRequests of point", columns.failedRequests, 0);
  checkAtMost("failedRequests of point", columns.failedRequests, columns.requests);
  checkWhole("failedElapsedMicros of point", columns.failedElapsedMicros, 0);
  checkWhole("failedReceivedBytes of point", columns.failedReceivedBytes, 0);
  checkNothingFailed(columns);
}

function checkNothingFailed(columns: BatchColumns): void {
  const { failedRequests, failedElapsedMicros, failedReceivedBytes } = columns;
  for (let point = 0; point < failedRequests.length; point++) {
    if (failedRequests[point] !== 0) continue;
    if (failedElapsedMicros[point] === 0 && failedReceivedBytes[point] === 0) continue;
    throw badBatch(`point ${point}: expected no sums of failed requests, since it has none`);
  }
}

/** Rows ascend by their keys, the first one first, and no keys come twice. */
function checkSorted(what: string, keys: readonly Uint32Array[]): void {
  const rows = keys[0]?.length ?? 0;
  for (let row = 1; row < rows; row++) {
    const differing = keys.find((key) => key[row] !== key[row - 1]);
    if (differing !== undefined && (differing[row] as number) > (differing[row - 1] as number)) {
      continue;
    }
    throw badBatch(`${what} ${row}: expected it behind the one before, by its keys`);
  }
}

function checkWhole(what: string, column: Float64Array, least: number): void {
  for (let row = 0; row < column.length; row++) {
    const value = column[row] as number;
    // A negative zero is no count either: it would be stored as other bytes than 0.
    if (Number.isSafeInteger(value) && value >= least && !Object.is(value, -0)) continue;
    throw badBatch(
      `${what} ${row}: expected a whole number from ${least} to 2^53 - 1, got ${value}`,
    );
  }
}

function checkRange(
  what: string,
  column: Uint32Array | Uint16Array,
  least: number,
  greatest: number,
): void {
  for (let row = 0; row < column.length; row++) {
    const value = column[row] as number;
    if (value >= least && value <= greatest) continue;
    throw badBatch(`${what} ${row}: expected ${least} to ${greatest}, got ${value}`);
  }
}

function checkAtMost(what: string, column: Float64Array, most: Float64Array): void {
  for (let row = 0; row < column.length; row++) {
    if ((column[row] as number) <= (most[row] as number)) continue;
    throw badBatch(`${what} ${row}: expected at most ${most[row]}, got ${column[row]}`);
  }
}

function checkBuckets(columns: BatchColumns, points: number): void {
  const { bucketsFrom, bucket, bucketCount, requests } = columns;
  checkRange("bucket", bucket, 0, BUCKET_COUNT - 1);
  checkWhole("count of bucket", bucketCount, 1);
  if (bucketsFrom[0] !== 0 || bucketsFrom[points] !== bucket.length) {
    throw badBatch(`buckets: expected those of all points to be 0 to ${bucket.length}`);
  }
  for (let point = 0; point < points; point++) {
    const until = bucketsFrom[point + 1] as number;
    const from = bucketsFrom[point] as number;
    if (until < from || until > bucket.length) {
      throw badBatch(`buckets of point ${point}: expected them behind those of the one before`);
    }
    let total = 0;
    for (let entry = from; entry < until; entry++) {
      total += bucketCount[entry] as number;
      if (entry > from && (bucket[entry] as number) <= (bucket[entry - 1] as number)) {
        throw badBatch(`buckets of point ${point}: expected them to ascend`);
      }
    }
    if (total === requests[point]) continue;
    throw badBatch(
      `buckets of point ${point}: expected ${requests[point]} values, its requests, got ${total}`,
    );
  }
}
