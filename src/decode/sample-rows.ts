import { createSampleBatch, SAMPLE_BATCH_ROWS, type SampleBatch } from "../model/sample-batch.ts";
import type { SampleSink } from "./decoder.ts";

/**
 * The batch that a decoder fills: it writes row `batch.rows` of every column, then calls `advance`.
 * A row that is not advanced over is simply written again.
 */
export class SampleRows {
  readonly batch: SampleBatch = createSampleBatch();
  readonly #sink: SampleSink;

  constructor(sink: SampleSink) {
    this.#sink = sink;
  }

  /** Keeps the row just written; hands the batch over when it is full. */
  advance(): void {
    this.batch.rows += 1;
    if (this.batch.rows === SAMPLE_BATCH_ROWS) this.flush();
  }

  /** Hands over what is there. */
  flush(): void {
    if (this.batch.rows === 0) return;
    this.#sink.record(this.batch);
    this.batch.rows = 0;
  }
}
