/** Columns filled by decoders and read by the aggregate, a row per record. Reused after each hand-over. */
export interface SampleBatch {
  /** Rows filled, 0 to `SAMPLE_BATCH_ROWS`. */
  rows: number;
  /** Index into the decoder's `labels`. */
  readonly label: Int32Array;
  /** UNIX second (UTC) of the start of the request; 0: unknown. */
  readonly second: Uint32Array;
  /** Sum over the row's requests; 0 to 2^53 - 1. */
  readonly elapsedMicros: Float64Array;
  /** Sum over the row's requests; 0 to 2^53 - 1. */
  readonly receivedBytes: Float64Array;
  /** 1, or more if the source merges samples. */
  readonly requests: Uint32Array;
  /** 0 to `requests`. */
  readonly failedRequests: Uint32Array;
}

/** Large enough to amortise the call, small enough for the L2 cache. */
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

/** Several requests merged by the tool. Few enough to be objects. */
export interface SampleWindow {
  /** Index into the decoder's `labels`. */
  readonly label: number;
  /** UNIX second of the start of the window; 0: unknown. */
  readonly second: number;
  /** 1 to 65,535. */
  readonly windowSeconds: number;
  /** At least 1. */
  readonly requests: number;
  /** Sums over the requests with a response time, 0 to 2^53 - 1. */
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
  readonly failedRequests: number;
  readonly failedElapsedMicros: number;
  readonly failedReceivedBytes: number;
  /** Requests and failed requests without a response time. @default 0 */
  readonly untimedRequests?: number;
  readonly untimedFailedRequests?: number;
  /** `undefined` if not recorded. */
  readonly minMicros: number | undefined;
  readonly maxMicros: number | undefined;
  /** Response times with their number of requests; empty if only the average is recorded. */
  readonly latencies: readonly WindowLatency[];
}

export interface WindowLatency {
  readonly elapsedMicros: number;
  readonly requests: number;
}
