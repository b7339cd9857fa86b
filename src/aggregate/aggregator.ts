import type { DataPoints } from "../model/data-points.ts";
import { bucketOf } from "../model/histogram.ts";
import type { SampleBatch } from "../model/sample-batch.ts";
import { FailedShare } from "./failed-share.ts";
import { LatencyLog } from "./latency-log.ts";
import { LATENCIES_WANTED, POINTS_WANTED, type SampleAggregator } from "./sample-aggregator.ts";
import { sealLatencies } from "./seal-latencies.ts";
import { CELL, CELLS, sealPoints } from "./seal-points.ts";

/**
 * Slots of 64 seconds for 4,096 labels: a slot remembers the open point of one (label, second).
 * Where two of them want the same slot, the later one opens a point of its own and the earlier one
 * stays a partial point; sealing merges the parts. So there is no table to grow, and memory is
 * bounded whatever the labels and the order of rows are.
 */
const SLOTS = 2 ** 18;
const SECONDS_PER_LABEL = 64;

/** The aggregator for anything small, and for rows that stand for several requests. */
export class Aggregator implements SampleAggregator {
  readonly #slots: Int32Array;
  /** Label and second of open point i, and its eight sums and extremes side by side. */
  #label = new Uint32Array(1024);
  #second = new Uint32Array(1024);
  #cells = new Float64Array(1024 * CELLS);
  #points = 0;
  readonly #latencies = new LatencyLog();
  readonly #failedShare = new FailedShare();

  /** `slots` is a power of two: fewer take less memory, and more time where there are many points. */
  constructor(slots: number = SLOTS) {
    this.#slots = new Int32Array(slots).fill(-1);
  }

  get points(): number {
    return this.#points;
  }

  get wantsSeal(): boolean {
    return this.#points >= POINTS_WANTED || this.#latencies.length >= LATENCIES_WANTED;
  }

  record(batch: SampleBatch): void {
    const { label, second, elapsedMicros, receivedBytes, requests, failedRequests, rows } = batch;
    this.#reserve(rows);
    const cells = this.#cells;
    const latencies = this.#latencies;
    const { point: logPoint, bucket: logBucket } = latencies;
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
      if (failed > 0) this.#addFailed(at, this.#failedShare.of(failed, weight, elapsed, bytes));
      let latency = elapsed;
      const entry = latencies.length++;
      if (weight !== 1) {
        latency = Math.round(elapsed / weight);
        latencies.weigh(entry, weight);
      }
      if (latency < (cells[at + CELL.minMicros] as number)) cells[at + CELL.minMicros] = latency;
      if (latency > (cells[at + CELL.maxMicros] as number)) cells[at + CELL.maxMicros] = latency;
      logPoint[entry] = point;
      logBucket[entry] = bucketOf(latency);
    }
  }

  seal(): DataPoints {
    const open = {
      label: this.#label.subarray(0, this.#points),
      second: this.#second.subarray(0, this.#points),
      cells: this.#cells,
    };
    const points = sealPoints(open, (ranks) => sealLatencies(this.#latencies, ranks));
    this.#points = 0;
    this.#latencies.clear();
    this.#slots.fill(-1);
    return points;
  }

  #addFailed(at: number, share: FailedShare): void {
    const cells = this.#cells;
    cells[at + CELL.failedRequests] = (cells[at + CELL.failedRequests] as number) + share.requests;
    cells[at + CELL.failedElapsedMicros] =
      (cells[at + CELL.failedElapsedMicros] as number) + share.elapsedMicros;
    cells[at + CELL.failedReceivedBytes] =
      (cells[at + CELL.failedReceivedBytes] as number) + share.receivedBytes;
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
    const size = Math.max(wanted, this.#label.length * 2);
    const [label, second] = [new Uint32Array(size), new Uint32Array(size)];
    const cells = new Float64Array(size * CELLS);
    label.set(this.#label);
    second.set(this.#second);
    cells.set(this.#cells);
    [this.#label, this.#second, this.#cells] = [label, second, cells];
  }
}
