/**
 * Decoded samples as columns: what every decoder fills and the one aggregate eats. A row is one
 * record of the source; nothing is allocated per row, and the batch is reused after each hand-over.
 *
 * Further columns (kind of failure, active users) will stand beside these; a decoder that cannot
 * give one leaves it out.
 */
export interface SampleBatch {
  /** Rows filled, 0 to `SAMPLE_BATCH_ROWS`. */
  rows: number;
  /** Index of the row's label in the decoder's `labels`. */
  readonly label: Int32Array;
  /** UNIX second (UTC) in which the request started; 0 means that its instant is not known. */
  readonly second: Uint32Array;
  /** Elapsed time, the sum over the row's requests; an integer, 0 to 2^53 - 1. */
  readonly elapsedMicros: Float64Array;
  /** Bytes received, the sum over the row's requests; an integer, 0 to 2^53 - 1. */
  readonly receivedBytes: Float64Array;
  /** Requests that the row stands for: 1, or more where a source merges samples before it writes. */
  readonly requests: Uint32Array;
  /** How many of `requests` failed, 0 to `requests`. */
  readonly failedRequests: Uint32Array;
}

/** Rows of a batch: large enough to amortise the call, small enough to stay in the second cache. */
export const SAMPLE_BATCH_ROWS = 4096;

export function createSampleBatch(): SampleBatch {
  return {
    rows: 0,
    label: new Int32Array(SAMPLE_BATCH_ROWS),
    second: new Uint32Array(SAMPLE_BATCH_ROWS),
    elapsedMicros: new Float64Array(SAMPLE_BATCH_ROWS),
    receivedBytes: new Float64Array(SAMPLE_BATCH_ROWS),
    requests: new Uint32Array(SAMPLE_BATCH_ROWS),
    failedRequests: new Uint32Array(SAMPLE_BATCH_ROWS),
  };
}
