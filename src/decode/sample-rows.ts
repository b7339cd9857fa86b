import { createSampleBatch, SAMPLE_BATCH_ROWS, type SampleBatch } from "../model/sample-batch.ts";
import { KernelPool } from "../kernel/kernel-pool.ts";
import type { SampleSink } from "./decoder.ts";

/** Idle ones: as many as live senders usually post at once. */
const BATCHES_IDLE = 8;

const batches = new KernelPool(createSampleBatch, BATCHES_IDLE);

interface OneRequest {
  readonly elapsedMicros: number;
  /** @default 0 */
  readonly receivedBytes?: number | undefined;
  readonly hasFailed: boolean;
}

interface UntimedRequests {
  readonly requests: number;
  readonly failedRequests: number;
  readonly receivedBytes: number;
}

/** The batch that a decoder fills: it writes row `batch.rows` of every column, then calls `advance`. */
export class SampleRows {
  readonly batch: SampleBatch;
  readonly #sink: SampleSink;

  constructor(sink: SampleSink, batch: SampleBatch = batches.take()) {
    this.#sink = sink;
    this.batch = batch;
  }

  /** Commits a row of one request. */
  addRequest(
    label: number,
    second: number,
    { elapsedMicros, receivedBytes, hasFailed }: OneRequest,
  ): void {
    const { batch } = this;
    const row = batch.rows;
    batch.label[row] = label;
    batch.second[row] = second;
    batch.elapsedMicros[row] = elapsedMicros;
    batch.receivedBytes[row] = receivedBytes ?? 0;
    batch.requests[row] = 1;
    batch.failedRequests[row] = hasFailed ? 1 : 0;
    this.advance();
  }

  /** Hands over requests without a known response time; `receivedBytes` are those of all. */
  addUntimed(
    label: number,
    second: number,
    { requests, failedRequests, receivedBytes }: UntimedRequests,
  ): void {
    this.#sink.recordWindow({
      label,
      second,
      windowSeconds: 1,
      requests,
      untimedRequests: requests,
      elapsedMicros: 0,
      receivedBytes,
      failedRequests,
      untimedFailedRequests: failedRequests,
      failedElapsedMicros: 0,
      failedReceivedBytes: Math.round((receivedBytes * failedRequests) / requests),
      minMicros: undefined,
      maxMicros: undefined,
      latencies: [],
    });
  }

  /** Commits the row; hands the batch over when it is full. */
  advance(): void {
    this.batch.rows += 1;
    if (this.batch.rows === SAMPLE_BATCH_ROWS) this.flush();
  }

  /** Returns the batch to the pool: it must be empty, come from there, and not be used afterwards. */
  giveBack(): void {
    batches.giveBack(this.batch);
  }

  /** Hands over the committed rows; an open row stays. */
  flush(): void {
    const { batch } = this;
    const open = batch.rows;
    if (open === 0) return;
    this.#sink.record(batch);
    batch.rows = 0;
    if (open === SAMPLE_BATCH_ROWS) return;
    batch.label[0] = batch.label[open] as number;
    batch.second[0] = batch.second[open] as number;
    batch.elapsedMicros[0] = batch.elapsedMicros[open] as number;
    batch.receivedBytes[0] = batch.receivedBytes[open] as number;
    batch.requests[0] = batch.requests[open] as number;
    batch.failedRequests[0] = batch.failedRequests[open] as number;
  }
}
