import { aggregateModule } from "../kernel/aggregate-module.ts";
import { KernelPool, openKernel } from "../kernel/kernel-pool.ts";
import type { DataPoints } from "../model/data-points.ts";
import { mergePoints } from "../model/merge-points.ts";
import type { SampleBatch } from "../model/sample-batch.ts";
import { Aggregator, FAILED_SLOTS, LATENCIES_WANTED, POINTS_WANTED } from "./aggregator.ts";
import type { SampleAggregator } from "./sample-aggregator.ts";
import { FailedTimes } from "./failed-times.ts";
import { CELLS, flushPoints } from "./flush-points.ts";

/** Exports of kernel/aggregate: limits, column offsets, counts and functions. */
type Exports = Readonly<Record<Constant | "points" | "latencies", WebAssembly.Global>> & {
  readonly memory: WebAssembly.Memory;
  record(rows: number): void;
  sealLatencies(): number;
  clear(): void;
};

type Constant = "BATCH_ROWS" | "POINTS_MAX" | "LATENCIES_MAX" | Column;

type Column =
  | "LABEL"
  | "SECOND"
  | "ELAPSED_MICROS"
  | "RECEIVED_BYTES"
  | "FAILED_REQUESTS"
  | "POINT_LABEL"
  | "POINT_SECOND"
  | "CELLS"
  | "ORDER"
  | "BUCKETS_FROM"
  | "BUCKET"
  | "BUCKET_COUNT";

/** Aggregates large sources in WebAssembly, in a third of the time. Rows of several requests go to `Aggregator`. */
export class KernelAggregator implements SampleAggregator {
  #kernel: Kernel | undefined;
  #merged: Aggregator | undefined;
  #failedTimes: FailedTimes | undefined;
  /** Flushed early because no `flush` was called in time. */
  #flushed: DataPoints[] = [];

  get points(): number {
    const flushed = this.#flushed.reduce((sum, { second }) => sum + second.length, 0);
    return (this.#kernel?.points ?? 0) + (this.#merged?.points ?? 0) + flushed;
  }

  get wantsFlush(): boolean {
    const kernel = this.#kernel;
    if (this.#flushed.length > 0 || this.#merged?.wantsFlush === true) return true;
    if (kernel === undefined) return false;
    return kernel.points >= POINTS_WANTED || kernel.latencies >= LATENCIES_WANTED;
  }

  record(batch: SampleBatch): void {
    if (isOfSeveral(batch)) {
      this.#merged ??= new Aggregator();
      this.#merged.record(batch);
      return;
    }
    this.#kernel ??= kernels.take();
    if (!this.#kernel.hasRoomFor(batch.rows)) this.#flushed.push(this.#flushKernel(this.#kernel));
    this.#kernel.record(batch);
    if (!hasFailed(batch)) return;
    this.#failedTimes ??= new FailedTimes(new Aggregator(FAILED_SLOTS));
    this.#failedTimes.record(batch);
  }

  flush(): DataPoints {
    const kernel = this.#kernel ?? kernels.take();
    const merged = this.#merged?.flush();
    const parts = [
      ...this.#flushed,
      this.#flushKernel(kernel),
      ...(merged === undefined ? [] : [merged]),
    ];
    this.#flushed = [];
    this.#kernel = undefined;
    kernels.giveBack(kernel);
    return parts.length === 1 ? (parts[0] as DataPoints) : mergePoints(parts);
  }

  #flushKernel(kernel: Kernel): DataPoints {
    const points = kernel.flush();
    return this.#failedTimes?.completed(points) ?? points;
  }
}

function hasFailed({ failedRequests, rows }: SampleBatch): boolean {
  let any = 0;
  for (let row = 0; row < rows; row++) any |= failedRequests[row] as number;
  return any !== 0;
}

function isOfSeveral({ requests, rows }: SampleBatch): boolean {
  let all = 1;
  for (let row = 0; row < rows; row++) all |= requests[row] as number;
  return all !== 1;
}

const kernels = new KernelPool(() => new Kernel());

class Kernel {
  readonly #exports = openKernel(aggregateModule) as unknown as Exports;
  readonly #columns = columnsOf(this.#exports);

  get points(): number {
    return this.#exports.points.value as number;
  }

  get latencies(): number {
    return this.#exports.latencies.value as number;
  }

  hasRoomFor(rows: number): boolean {
    const { cells, bucket } = this.#columns;
    return (this.points + rows) * CELLS <= cells.length && this.latencies + rows <= bucket.length;
  }

  /** Rows must stand for one request each, and fit. */
  record(batch: SampleBatch): void {
    const { rows } = batch;
    const columns = this.#columns;
    columns.label.set(batch.label.subarray(0, rows));
    columns.second.set(batch.second.subarray(0, rows));
    columns.elapsedMicros.set(batch.elapsedMicros.subarray(0, rows));
    columns.receivedBytes.set(batch.receivedBytes.subarray(0, rows));
    columns.failedRequests.set(batch.failedRequests.subarray(0, rows));
    this.#exports.record(rows);
  }

  flush(): DataPoints {
    const { pointLabel, pointSecond, cells, order, bucketsFrom, bucket, bucketCount } =
      this.#columns;
    const open = {
      label: pointLabel.subarray(0, this.points),
      second: pointSecond.subarray(0, this.points),
      cells,
    };
    const points = flushPoints(open, (ranks) => {
      order.set(ranks.order);
      const used = this.#exports.sealLatencies();
      return {
        bucketsFrom: bucketsFrom.slice(0, ranks.count + 1),
        bucket: bucket.slice(0, used),
        bucketCount: new Float64Array(bucketCount.subarray(0, used)),
      };
    });
    this.#exports.clear();
    return points;
  }
}

function columnsOf(exports: Exports) {
  const { buffer } = exports.memory;
  const at = (name: Constant): number => exports[name].value as number;
  const [rows, points, latencies] = [at("BATCH_ROWS"), at("POINTS_MAX"), at("LATENCIES_MAX")];
  return {
    label: new Int32Array(buffer, at("LABEL"), rows),
    second: new Uint32Array(buffer, at("SECOND"), rows),
    elapsedMicros: new Float64Array(buffer, at("ELAPSED_MICROS"), rows),
    receivedBytes: new Float64Array(buffer, at("RECEIVED_BYTES"), rows),
    failedRequests: new Uint32Array(buffer, at("FAILED_REQUESTS"), rows),
    pointLabel: new Uint32Array(buffer, at("POINT_LABEL"), points),
    pointSecond: new Uint32Array(buffer, at("POINT_SECOND"), points),
    cells: new Float64Array(buffer, at("CELLS"), points * CELLS),
    order: new Uint32Array(buffer, at("ORDER"), points),
    bucketsFrom: new Uint32Array(buffer, at("BUCKETS_FROM"), points + 1),
    bucket: new Uint16Array(buffer, at("BUCKET"), latencies),
    bucketCount: new Uint32Array(buffer, at("BUCKET_COUNT"), latencies),
  };
}
