/**
 * Decoded samples as columns: what every decoder fills and the one aggregate eats. A row is one
 * record of the source; nothing is allocated per row, and the batch is reused after each hand-over.
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

/**
 * What a source knows of several requests at once: one row of a tool that merges before it writes.
 * There are few of them, so that they may be objects.
 */
export interface SampleWindow {
  /** Index of the label in the decoder's `labels`. */
  readonly label: number;
  /** UNIX second at which the window begins; 0 where it is not known. */
  readonly second: number;
  /** Length of the window, 1 to 65,535. */
  readonly windowSeconds: number;
  /** At least 1. */
  readonly requests: number;
  /** Sums over the requests with a response time: integers, 0 to 2^53 - 1. */
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
  readonly failedRequests: number;
  readonly failedElapsedMicros: number;
  readonly failedReceivedBytes: number;
  /** How many of `requests` and of `failedRequests` have no response time. @default 0 */
  readonly untimedRequests?: number;
  readonly untimedFailedRequests?: number;
  /** `undefined` where the source does not record them. */
  readonly minMicros: number | undefined;
  readonly maxMicros: number | undefined;
  /**
   * The response times of single requests, each with the number of requests that have it. Empty where
   * the source records no more than their average.
   */
  readonly latencies: readonly WindowLatency[];
}

export interface WindowLatency {
  readonly elapsedMicros: number;
  readonly requests: number;
}
