import { BUCKET_COUNT, bucketOf } from "../model/buckets/bucket-layout.ts";
import { BOUNDS } from "../model/histogram.ts";
import { without } from "../model/columns.ts";
import { SENT_COUNT_MAX } from "../model/exact.ts";
import { type BatchColumns, badBatch } from "./batch-columns.ts";
import type { BatchHead } from "./batch-head.ts";

/** Throws `bad-batch` with the first fault. */
export function checkColumns(columns: BatchColumns, head: BatchHead): void {
  const { points, labels, kinds, generators } = head;
  checkSorted("point", [columns.endpoint, columns.second]);
  checkRange("endpoint of point", columns.endpoint, 0, labels.length - 1);
  checkSums(columns);
  checkBuckets(columns, points);
  if (head.untimed === true) checkUntimed(columns);
  if (head.windows) checkRange("window of point", columns.windowSeconds, 1, 65_535);
  const { failureEndpoint, failureKind, failureSecond } = columns;
  checkSorted("failure", [failureEndpoint, failureKind, failureSecond]);
  checkRange("endpoint of failure", failureEndpoint, 0, labels.length - 1);
  checkRange("kind of failure", failureKind, 0, kinds.length - 1);
  checkCount("requests of failure", columns.failureRequests, 1);
  checkSorted("users", [columns.userGenerator, columns.userSecond]);
  checkRange("generator of users", columns.userGenerator, 0, generators.length - 1);
  checkRange("second of users", columns.userSecond, 1, 2 ** 32 - 1);
  checkCount("active of users", columns.usersActive, 0);
  checkCount("started of users", columns.usersStarted, 0);
  checkCount("ended of users", columns.usersEnded, 0);
}

function checkSums(columns: BatchColumns): void {
  checkWhole("requests of point", columns.requests, 1);
  checkWhole("elapsedMicros of point", columns.elapsedMicros, 0);
  checkWhole("receivedBytes of point", columns.receivedBytes, 0);
  checkExtremes(columns);
  checkWhole("failedRequests of point", columns.failedRequests, 0);
  checkAtMost("failedRequests of point", columns.failedRequests, columns.requests);
  checkWhole("failedElapsedMicros of point", columns.failedElapsedMicros, 0);
  checkWhole("failedReceivedBytes of point", columns.failedReceivedBytes, 0);
  checkAtMost("failedElapsedMicros of point", columns.failedElapsedMicros, columns.elapsedMicros);
  checkAtMost("failedReceivedBytes of point", columns.failedReceivedBytes, columns.receivedBytes);
  checkNothingFailed(columns);
}

/** Extremes are infinite without response times, or if unknown. */
function checkExtremes(columns: BatchColumns): void {
  const { minMicros, maxMicros, untimedRequests, requests, elapsedMicros } = columns;
  const { none, unknown } = BOUNDS;
  for (let point = 0; point < requests.length; point++) {
    const min = minMicros[point] as number;
    const max = maxMicros[point] as number;
    if (requests[point] === untimedRequests[point]) {
      if (min === none.min && max === none.max && elapsedMicros[point] === 0) continue;
      throw badBatch(`point ${point}: expected no times, no request has one`);
    }
    if (min === unknown.min && max === unknown.max) continue;
    if (!isWhole(min, 0)) throw notWhole("minMicros of point", point, min, 0);
    if (!isWhole(max, 0)) throw notWhole("maxMicros of point", point, max, 0);
    if (min > max) throw tooLarge("minMicros of point", point, min, max);
  }
}

function checkUntimed(columns: BatchColumns): void {
  const { untimedRequests, untimedFailedRequests } = columns;
  checkWhole("untimedRequests of point", untimedRequests, 0);
  checkAtMost("untimedRequests of point", untimedRequests, columns.requests);
  checkWhole("untimedFailedRequests of point", untimedFailedRequests, 0);
  checkAtMost("untimedFailedRequests of point", untimedFailedRequests, columns.failedRequests);
  checkAtMost("untimedFailedRequests of point", untimedFailedRequests, untimedRequests);
  const { requests, failedRequests } = columns;
  checkAtMost(
    "failedRequests with a response time of point",
    without(failedRequests, untimedFailedRequests),
    without(requests, untimedRequests),
  );
}

function checkNothingFailed(columns: BatchColumns): void {
  const { failedRequests, failedElapsedMicros, failedReceivedBytes } = columns;
  for (let point = 0; point < failedRequests.length; point++) {
    if (failedRequests[point] !== 0) continue;
    if (failedElapsedMicros[point] === 0 && failedReceivedBytes[point] === 0) continue;
    throw badBatch(`point ${point}: expected no sums of failed requests, since it has none`);
  }
}

/** Rows must be strictly ascending by their keys. */
function checkSorted(what: string, keys: readonly Uint32Array[]): void {
  const rows = keys[0]?.length ?? 0;
  for (let row = 1; row < rows; row++) {
    let difference = 0;
    for (let at = 0; at < keys.length && difference === 0; at++) {
      const key = keys[at] as Uint32Array;
      difference = (key[row] as number) - (key[row - 1] as number);
    }
    if (difference > 0) continue;
    throw badBatch(`${what} ${row}: expected it behind the one before, by its keys`);
  }
}

function checkWhole(what: string, column: Float64Array, least: number): void {
  for (let row = 0; row < column.length; row++) {
    const value = column[row] as number;
    if (!isWhole(value, least)) throw notWhole(what, row, value, least);
  }
}

/** Of a column without a sum that is kept while it is written: a few rows could make the whole unreadable. */
function checkCount(what: string, column: Float64Array, least: number): void {
  checkWhole(what, column, least);
  const row = column.findIndex((count) => count > SENT_COUNT_MAX);
  if (row >= 0) throw tooLarge(what, row, column[row] as number, SENT_COUNT_MAX);
}

/** A negative zero would be stored as other bytes than 0. */
function isWhole(value: number, least: number): boolean {
  if (!(value >= least && value <= Number.MAX_SAFE_INTEGER)) return false;
  return Math.floor(value) === value && (value !== 0 || 1 / value > 0);
}

function notWhole(what: string, row: number, value: number, least: number): Error {
  return badBatch(
    `${what} ${row}: expected a whole number from ${least} to 2^53 - 1, got ${value}`,
  );
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
    throw tooLarge(what, row, column[row] as number, most[row] as number);
  }
}

function tooLarge(what: string, row: number, value: number, most: number): Error {
  return badBatch(`${what} ${row}: expected at most ${most}, got ${value}`);
}

/** Checks the buckets of a point. Returns the sum of their counts. */
function countIn({ bucketsFrom, bucket, bucketCount }: BatchColumns, point: number): number {
  const until = bucketsFrom[point + 1] as number;
  let total = 0;
  let before = -1;
  for (let entry = bucketsFrom[point] as number; entry < until; entry++) {
    const number = bucket[entry] as number;
    const count = bucketCount[entry] as number;
    if (number <= before) {
      checkRange("bucket", bucket, 0, BUCKET_COUNT - 1);
      throw badBatch(`buckets of point ${point}: expected them to ascend`);
    }
    if (((count | 0) !== count || count < 1) && !isWhole(count, 1)) {
      throw notWhole("count of bucket", entry, count, 1);
    }
    total += count;
    before = number;
  }
  if (before >= BUCKET_COUNT) checkRange("bucket", bucket, 0, BUCKET_COUNT - 1);
  return total;
}

function checkBuckets(columns: BatchColumns, points: number): void {
  const { bucketsFrom, bucket, requests, untimedRequests } = columns;
  if (bucketsFrom[0] !== 0 || bucketsFrom[points] !== bucket.length) {
    throw badBatch(`buckets: expected those of all points to be 0 to ${bucket.length}`);
  }
  for (let point = 0; point < points; point++) {
    const until = bucketsFrom[point + 1] as number;
    const from = bucketsFrom[point] as number;
    if (until < from || until > bucket.length) {
      throw badBatch(`buckets of point ${point}: expected them behind those of the one before`);
    }
    const total = countIn(columns, point);
    const timed = (requests[point] as number) - (untimedRequests[point] ?? 0);
    if (total > timed) {
      throw badBatch(
        `buckets of point ${point}: expected at most ${timed} values, its requests with a time, got ${total}`,
      );
    }
    if (total === timed) checkExtremesKnown(columns, point, timed);
    if (total > 0) checkWithinExtremes(columns, point);
  }
}

function checkWithinExtremes(
  { minMicros, maxMicros, bucketsFrom, bucket }: BatchColumns,
  point: number,
): void {
  const [min, max] = [minMicros[point] as number, maxMicros[point] as number];
  if (min === BOUNDS.unknown.min) return;
  const first = bucket[bucketsFrom[point] as number] as number;
  const last = bucket[(bucketsFrom[point + 1] as number) - 1] as number;
  if (first >= bucketOf(min) && last <= bucketOf(max)) return;
  throw badBatch(
    `buckets of point ${point}: expected them between its extremes, ${min} and ${max}`,
  );
}

/** A source that records the time of every request of a point knows the smallest and the largest. */
function checkExtremesKnown(
  { minMicros, maxMicros }: BatchColumns,
  point: number,
  timed: number,
): void {
  const [min, max] = [minMicros[point], maxMicros[point]];
  if (timed === 0 || min !== BOUNDS.unknown.min) return;
  throw badBatch(
    `extremes of point ${point}: expected whole numbers, since its buckets hold all ${timed} requests with a time, got ${min} and ${max}`,
  );
}
