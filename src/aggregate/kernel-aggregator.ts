import { aggregateModule } from "../kernel/aggregate-module.ts";
import { Kernel, KernelPool } from "../kernel/kernel-pool.ts";
import { SUM_NAMES } from "../model/columns.ts";
import type { DataPoints, Outcomes } from "../model/data-points.ts";
import { UserError } from "../model/errors.ts";
import { mergePoints } from "../model/merge-points.ts";
import { copyOfPoints, factsOfRuns, withFacts } from "../model/point-facts.ts";
import type { SampleBatch } from "../model/sample-batch.ts";
import { RowAggregator } from "./row-aggregator.ts";
import { areMany, type SampleAggregator } from "./sample-aggregator.ts";

/** Functions of kernel/aggregate. */
interface Functions {
  record(rows: number): void;
  seal(): number;
  clear(): void;
}

/** Columns of an open point: 64 bytes, one cache line. Same layout as kernel/aggregate/record.ts. */
const CELL = {
  requests: 0,
  failedRequests: 1,
  elapsedMicros: 2,
  receivedBytes: 3,
  failedElapsedMicros: 4,
  failedReceivedBytes: 5,
  minMicros: 6,
  maxMicros: 7,
} as const;

const CELLS = 8;

/** Columns of the extremes of points with passed and failed requests. */
const MIXED = { passedMin: 0, passedMax: 1, failedMin: 2, failedMax: 3 } as const;
const MIXED_COLUMNS = 4;

/** Aggregates large sources in WebAssembly, in a third of the time. Batches with rows of several requests use `RowAggregator`. */
export class KernelAggregator implements SampleAggregator {
  readonly #lends: boolean;
  #kernel: AggregateKernel | undefined;
  #merged: RowAggregator | undefined;
  /** Points flushed early, as the kernel had no room for a batch. */
  #flushed: DataPoints[] = [];

  /** `lends`: what `flush` returns is valid until the next call, and `release` must be called at the end. */
  constructor({ lends = false }: { readonly lends?: boolean } = {}) {
    this.#lends = lends;
  }

  get points(): number {
    const flushed = this.#flushed.reduce((sum, { second }) => sum + second.length, 0);
    return (this.#kernel?.points ?? 0) + (this.#merged?.points ?? 0) + flushed;
  }

  wantsFlush(labels: number): boolean {
    if (this.#flushed.length > 0 || this.#merged?.wantsFlush(labels) === true) return true;
    return this.#kernel !== undefined && areMany(this.#kernel, labels);
  }

  record(batch: SampleBatch): void {
    if (isOfSeveral(batch)) {
      this.#merged ??= new RowAggregator();
      this.#merged.record(batch);
      return;
    }
    this.#kernel ??= kernels.take();
    if (!this.#kernel.hasRoomFor(batch.rows)) this.#flushed.push(this.#kernel.flush());
    this.#kernel.record(batch);
  }

  flush(): DataPoints {
    this.#kernel ??= kernels.take();
    const merged = this.#merged?.flush();
    const own = this.#lends ? this.#kernel.lend() : this.#kernel.flush();
    const parts = [...this.#flushed, own, ...(merged === undefined ? [] : [merged])];
    this.#flushed = [];
    if (!this.#lends) this.release();
    return parts.length === 1 ? (parts[0] as DataPoints) : mergePoints(parts);
  }

  release(): void {
    if (this.#kernel !== undefined) kernels.giveBack(this.#kernel);
    this.#kernel = undefined;
  }
}

function isOfSeveral({ requests, rows }: SampleBatch): boolean {
  let all = 1;
  for (let row = 0; row < rows; row++) all |= requests[row] as number;
  return all !== 1;
}

const kernels = new KernelPool(() => new AggregateKernel());

class AggregateKernel {
  readonly #kernel = new Kernel<Functions>(aggregateModule);
  readonly #columns = columnsOf(this.#kernel);

  get points(): number {
    return this.#kernel.number("points");
  }

  get latencies(): number {
    return this.#kernel.number("latencies");
  }

  hasRoomFor(rows: number): boolean {
    const { endpoint, bucket } = this.#columns;
    return this.points + rows <= endpoint.length && this.latencies + rows <= bucket.length;
  }

  /** Adds the rows of `batch`, one request each. There must be room for them. */
  record(batch: SampleBatch): void {
    const { rows } = batch;
    const columns = this.#columns;
    columns.label.set(batch.label.subarray(0, rows));
    columns.second.set(batch.second.subarray(0, rows));
    columns.elapsedMicros.set(batch.elapsedMicros.subarray(0, rows));
    columns.receivedBytes.set(batch.receivedBytes.subarray(0, rows));
    columns.failedRequests.set(batch.failedRequests.subarray(0, rows));
    this.#kernel.functions.record(rows);
  }

  /** Returns all points and removes them. Throws `sum-too-large`. */
  flush(): DataPoints {
    return copyOfPoints(this.lend());
  }

  /** Same as `flush`, but returns views of the kernel's memory, valid until the next call. */
  lend(): DataPoints {
    const latencies = this.latencies;
    const isExact = this.#kernel.functions.seal() !== 0;
    this.#kernel.functions.clear();
    if (!isExact) {
      const second = this.#kernel.number("overflowSecond") >>> 0;
      throw new UserError("sum-too-large", `a sum of second ${second} exceeds 2^53 - 1`);
    }
    const facts = factsOfRuns(this.#runs(), {
      distributed: latencies,
      firstSecond: this.#kernel.number("firstSecond") >>> 0,
      lastSecond: this.#kernel.number("lastSecond") >>> 0,
    });
    return withFacts(this.#points(), facts);
  }

  #points(): DataPoints {
    const { endpoint, outSecond, cells, bucketsFrom, bucket, bucketCount } = this.#columns;
    const [points, entries] = [this.#kernel.number("sealed"), this.#kernel.number("entries")];
    const cell = (name: keyof typeof CELL) =>
      (cells[CELL[name]] as Float64Array).subarray(0, points);
    const sums = Object.fromEntries(SUM_NAMES.map((name) => [name, cell(name)]));
    const outcomes = this.#outcomes();
    return {
      endpoint: endpoint.subarray(0, points),
      second: outSecond.subarray(0, points),
      ...(sums as Record<(typeof SUM_NAMES)[number], Float64Array>),
      minMicros: cell("minMicros"),
      maxMicros: cell("maxMicros"),
      bucketsFrom: bucketsFrom.subarray(0, points + 1),
      bucket: bucket.subarray(0, entries),
      bucketCount: bucketCount.subarray(0, entries),
      ...(outcomes !== undefined && { outcomes }),
    };
  }

  #runs() {
    const { runFrom, runRequests, runFailed } = this.#columns;
    const runs = this.#kernel.number("runs");
    return {
      from: runFrom.slice(0, runs + 1),
      requests: runRequests.slice(0, runs),
      failedRequests: runFailed.slice(0, runs),
    };
  }

  #outcomes(): Outcomes | undefined {
    const [mixed, entries] = [this.#kernel.number("mixed"), this.#kernel.number("failedEntries")];
    if (mixed === 0) return undefined;
    const { mixedPoint, mixedExtremes } = this.#columns;
    const { failedBucketsFrom, failedBucket, failedBucketCount } = this.#columns;
    const extreme = (name: keyof typeof MIXED) =>
      (mixedExtremes[MIXED[name]] as Float64Array).subarray(0, mixed);
    return {
      point: mixedPoint.subarray(0, mixed),
      passedMinMicros: extreme("passedMin"),
      passedMaxMicros: extreme("passedMax"),
      failed: {
        minMicros: extreme("failedMin"),
        maxMicros: extreme("failedMax"),
        bucketsFrom: failedBucketsFrom.subarray(0, mixed + 1),
        bucket: failedBucket.subarray(0, entries),
        bucketCount: failedBucketCount.subarray(0, entries),
      },
    };
  }
}

function columnsOf(kernel: Kernel<Functions>) {
  const { buffer } = kernel;
  const at = (name: string): number => kernel.number(name);
  const [rows, points, latencies] = [at("BATCH_ROWS"), at("POINTS_MAX"), at("LATENCIES_MAX")];
  const words = (name: string, length: number) => kernel.words(name, length);
  const doubles = (name: string, length: number, column = 0) =>
    new Float64Array(buffer, at(name) + column * length * Float64Array.BYTES_PER_ELEMENT, length);
  const columns = (name: string, count: number) =>
    Array.from({ length: count }, (_, column) => doubles(name, points, column));
  return {
    label: new Int32Array(buffer, at("LABEL"), rows),
    second: words("SECOND", rows),
    elapsedMicros: doubles("ELAPSED_MICROS", rows),
    receivedBytes: doubles("RECEIVED_BYTES", rows),
    failedRequests: words("FAILED_REQUESTS", rows),
    endpoint: words("OUT_ENDPOINT", points),
    outSecond: words("OUT_SECOND", points),
    cells: columns("OUT_CELLS", CELLS),
    bucketsFrom: words("BUCKETS_FROM", points + 1),
    bucket: new Uint16Array(buffer, at("BUCKET"), latencies),
    bucketCount: doubles("BUCKET_COUNT", latencies),
    runFrom: words("RUN_FROM", points + 1),
    runRequests: doubles("RUN_REQUESTS", points),
    runFailed: doubles("RUN_FAILED", points),
    mixedPoint: words("MIXED_POINT", points),
    mixedExtremes: columns("MIXED_EXTREMES", MIXED_COLUMNS),
    failedBucketsFrom: words("FAILED_BUCKETS_FROM", points + 1),
    failedBucket: new Uint16Array(buffer, at("FAILED_BUCKET"), latencies),
    failedBucketCount: doubles("FAILED_BUCKET_COUNT", latencies),
  };
}
