import { KernelPool, SENDERS } from "../kernel/kernel-pool.ts";
import { grown } from "../model/columns.ts";
import type { DataPoints } from "../model/data-points.ts";
import { bucketOf } from "../model/buckets/bucket-layout.ts";
import { BOUNDS } from "../model/histogram.ts";
import type { SampleBatch } from "../model/sample-batch.ts";
import { FailedTimes } from "./failed-times.ts";
import type { SampleAggregator } from "./sample-aggregator.ts";
import { type BucketColumns, CELL, CELLS, type Ranks, flushPoints } from "./flush-points.ts";

/** Logged latencies at which an aggregator asks for a flush, or open points: at least, per label, and at most. */
const LATENCIES_WANTED = 1024 * 1024;
const POINTS_WANTED = 64 * 1024;
const POINTS_PER_LABEL = 64;
const POINTS_WANTED_MAX = 512 * 1024;
/** Memory for points and labels together, in points: a label takes about as much as two. */
const POINTS_AND_LABELS_MAX = 704 * 1024;
const POINTS_OF_LABEL = 2;

/** Insertion beats the built-in sort on the few entries that most points have. */
const INSERTION_MAX = 40;

/**
 * Slots of 64 seconds for 4,096 labels: a slot remembers the open point of one (label, second).
 * Where two of them want the same slot, the later one opens a point of its own and the earlier one
 * stays a partial point; flushing merges the parts. So there is no table to grow, and memory is
 * bounded whatever the labels and the order of rows are.
 */
const SLOTS = 2 ** 18;
const SECONDS_PER_LABEL = 64;
/** Slots for failed requests, which are fewer, and for small sources, of which there can be many at once. */
const FEW_SLOTS = 4096;
/** For sources of which there are hundreds at once. */
const LEAST_SLOTS = 64;

/** Open points for which there is room at first, and latencies for each. */
const FIRST_POINTS = 1024;
const LEAST_POINTS = 16;
const LATENCIES_PER_POINT = 4;

/** The aggregator for anything small, and for rows that stand for several requests. */
export class Aggregator implements SampleAggregator {
  readonly #slots: Int32Array;
  /** Label and second of open point i, and its eight sums and extremes side by side. */
  #label: Uint32Array;
  #second: Uint32Array;
  #cells: Float64Array;
  #points = 0;
  readonly #latencies: LatencyLog;
  #failedTimes: FailedTimes | undefined;

  /** `slots` is a power of two: fewer take less memory, and more time where there are many points. */
  constructor(slots: number = SLOTS) {
    this.#slots = new Int32Array(slots).fill(-1);
    const points = slots <= LEAST_SLOTS ? LEAST_POINTS : FIRST_POINTS;
    this.#label = new Uint32Array(points);
    this.#second = new Uint32Array(points);
    this.#cells = new Float64Array(points * CELLS);
    this.#latencies = new LatencyLog(points * LATENCIES_PER_POINT);
  }

  get points(): number {
    return this.#points;
  }

  wantsFlush(labels: number): boolean {
    return areMany({ points: this.#points, latencies: this.#latencies.length }, labels);
  }

  record(batch: SampleBatch): void {
    const { label, second, elapsedMicros, receivedBytes, requests, failedRequests, rows } = batch;
    this.#reserve(rows);
    const cells = this.#cells;
    const latencies = this.#latencies;
    const { point: logPoint, bucket: logBucket } = latencies;
    let hasFailed = false;
    for (let row = 0; row < rows; row++) {
      const point = this.#pointOf(label[row] as number, second[row] as number);
      const at = point * CELLS;
      const weight = requests[row] as number;
      const elapsed = elapsedMicros[row] as number;
      const bytes = receivedBytes[row] as number;
      cells[at + CELL.requests] = (cells[at + CELL.requests] as number) + weight;
      cells[at + CELL.elapsedMicros] = (cells[at + CELL.elapsedMicros] as number) + elapsed;
      cells[at + CELL.receivedBytes] = (cells[at + CELL.receivedBytes] as number) + bytes;
      const failed = failedRequests[row] as number;
      if (failed > 0) {
        this.#addFailed(at, batch, row);
        hasFailed = true;
      }
      if (weight !== 1) {
        // Only the average of the row's requests is known.
        cells[at + CELL.minMicros] = BOUNDS.unknown.min;
        cells[at + CELL.maxMicros] = BOUNDS.unknown.max;
        continue;
      }
      const entry = latencies.length++;
      logPoint[entry] = point;
      logBucket[entry] = bucketOf(elapsed);
      // Those of failed requests follow from `FailedTimes`.
      if (failed > 0) continue;
      if (elapsed < (cells[at + CELL.minMicros] as number)) cells[at + CELL.minMicros] = elapsed;
      if (elapsed > (cells[at + CELL.maxMicros] as number)) cells[at + CELL.maxMicros] = elapsed;
    }
    if (!hasFailed) return;
    this.#failedTimes ??= new FailedTimes(new Aggregator(Math.min(this.#slots.length, FEW_SLOTS)));
    this.#failedTimes.record(batch);
  }

  flush(): DataPoints {
    const open = {
      label: this.#label.subarray(0, this.#points),
      second: this.#second.subarray(0, this.#points),
      cells: this.#cells,
    };
    const points = flushPoints(open, (ranks) => sealLatencies(this.#latencies, ranks));
    this.#points = 0;
    this.#latencies.length = 0;
    this.#slots.fill(-1);
    return this.#failedTimes?.completed(points) ?? points;
  }

  /** The failed requests of a row that merges several have their share of its sums. */
  #addFailed(at: number, batch: SampleBatch, row: number): void {
    const cells = this.#cells;
    const requests = batch.requests[row] as number;
    const failed = batch.failedRequests[row] as number;
    const elapsedMicros = portion(batch.elapsedMicros[row] as number, failed, requests);
    const receivedBytes = portion(batch.receivedBytes[row] as number, failed, requests);
    cells[at + CELL.failedRequests] = (cells[at + CELL.failedRequests] as number) + failed;
    cells[at + CELL.failedElapsedMicros] =
      (cells[at + CELL.failedElapsedMicros] as number) + elapsedMicros;
    cells[at + CELL.failedReceivedBytes] =
      (cells[at + CELL.failedReceivedBytes] as number) + receivedBytes;
  }

  #pointOf(label: number, second: number): number {
    const wanted = label * SECONDS_PER_LABEL + (second & (SECONDS_PER_LABEL - 1));
    const slot = wanted & (this.#slots.length - 1);
    const open = this.#slots[slot] as number;
    if (open >= 0 && this.#label[open] === label && this.#second[open] === second) return open;
    const point = this.#open(label, second);
    this.#slots[slot] = point;
    return point;
  }

  #open(label: number, second: number): number {
    const point = this.#points++;
    this.#label[point] = label;
    this.#second[point] = second;
    const at = point * CELLS;
    this.#cells.fill(0, at, at + CELLS);
    this.#cells[at + CELL.minMicros] = Infinity;
    this.#cells[at + CELL.maxMicros] = -Infinity;
    return point;
  }

  /** Makes room for `rows` more points and latencies, so that the loop over rows need not look. */
  #reserve(rows: number): void {
    this.#latencies.reserve(rows);
    const wanted = this.#points + rows;
    if (wanted <= this.#label.length) return;
    this.#label = grown(this.#label, wanted);
    this.#second = grown(this.#second, wanted);
    this.#cells = grown(this.#cells, wanted * CELLS);
  }
}

/** For small sources, in turn. */
/** An aggregator that takes some 2 kB while it is empty. */
export function tinyAggregator(): Aggregator {
  return new Aggregator(LEAST_SLOTS);
}

export const smallAggregators = new KernelPool(() => new Aggregator(FEW_SLOTS), SENDERS);

/** Whether a flush is due. Few points per label would make many small blocks. */
export function areMany(
  { points, latencies }: { readonly points: number; readonly latencies: number },
  labels: number,
): boolean {
  const pointsWanted = Math.min(
    POINTS_PER_LABEL * labels,
    POINTS_WANTED_MAX,
    POINTS_AND_LABELS_MAX - POINTS_OF_LABEL * labels,
  );
  return points >= Math.max(POINTS_WANTED, pointsWanted) || latencies >= LATENCIES_WANTED;
}

/** Counting-sorts the log by flushed point, then each point's entries by bucket, and counts runs. */
function sealLatencies(log: LatencyLog, ranks: Ranks): BucketColumns {
  const entries = sortByRank(log, ranks);
  const bucketsFrom = new Uint32Array(ranks.count + 1);
  const bucket = new Uint16Array(log.length);
  const bucketCount = new Float64Array(log.length);
  let used = 0;
  for (let rank = 0; rank < ranks.count; rank++) {
    bucketsFrom[rank] = used;
    const [from, to] = [entries.from[rank] as number, entries.from[rank + 1] as number];
    sortEntries(entries.bucket, from, to);
    for (let at = from; at < to; at++) {
      const own = entries.bucket[at] as number;
      if (at === from || own !== bucket[used - 1]) bucket[used++] = own;
      bucketCount[used - 1] = (bucketCount[used - 1] as number) + 1;
    }
  }
  bucketsFrom[ranks.count] = used;
  return { bucketsFrom, bucket: bucket.slice(0, used), bucketCount: bucketCount.slice(0, used) };
}

interface Entries {
  /** Entries of flushed point r are `from[r]` to `from[r + 1]`. */
  readonly from: Uint32Array;
  readonly bucket: Uint16Array;
}

function sortByRank(log: LatencyLog, { rankOf, count }: Ranks): Entries {
  const from = new Uint32Array(count + 1);
  for (let at = 0; at < log.length; at++) {
    const next = (rankOf[log.point[at] as number] as number) + 1;
    from[next] = (from[next] as number) + 1;
  }
  for (let rank = 0; rank < count; rank++) {
    from[rank + 1] = (from[rank + 1] as number) + (from[rank] as number);
  }
  const next = from.slice();
  const bucket = new Uint16Array(log.length);
  for (let at = 0; at < log.length; at++) {
    const rank = rankOf[log.point[at] as number] as number;
    const place = next[rank] as number;
    next[rank] = place + 1;
    bucket[place] = log.bucket[at] as number;
  }
  return { from, bucket };
}

function sortEntries(column: Uint16Array, from: number, to: number): void {
  if (to - from > INSERTION_MAX) {
    column.subarray(from, to).sort();
    return;
  }
  for (let at = from + 1; at < to; at++) {
    const value = column[at] as number;
    let hole = at;
    while (hole > from && (column[hole - 1] as number) > value) {
      column[hole] = column[hole - 1] as number;
      hole -= 1;
    }
    column[hole] = value;
  }
}

/** (point, bucket) pairs in order of arrival, sorted once at flush: cheaper than a histogram in each open point. */
class LatencyLog {
  length = 0;
  point: Uint32Array;
  bucket: Uint16Array;

  constructor(pairs: number) {
    this.point = new Uint32Array(pairs);
    this.bucket = new Uint16Array(pairs);
  }

  /** The arrays may be replaced. */
  reserve(pairs: number): void {
    const wanted = this.length + pairs;
    if (wanted <= this.point.length) return;
    this.point = grown(this.point, wanted);
    this.bucket = grown(this.bucket, wanted);
  }
}

/** Rounded half up. */
function portion(sum: number, part: number, whole: number): number {
  if (part === whole) return sum;
  const twice = 2n * BigInt(whole);
  return Number((2n * BigInt(sum) * BigInt(part) + BigInt(whole)) / twice);
}
