/**
 * Data points as columns. One data point is what one endpoint did in one second; all of its numbers
 * are integers, and merging two points is associative and commutative (`merge-points.ts`), so that
 * neither the order nor the number of files, machines or retries can change an answer.
 */

/** The part of data points that `GET /Api/Metrics` needs; index i of every column is point i. */
export interface SumColumns {
  /** UNIX second (UTC); 0 holds the requests whose instant is not known. */
  readonly second: Uint32Array;
  /** All requests of the point, failed ones included; at least 1. */
  readonly requests: Float64Array;
  readonly elapsedMicros: Float64Array;
  readonly receivedBytes: Float64Array;
  /** The same three over the failed requests alone. */
  readonly failedRequests: Float64Array;
  readonly failedElapsedMicros: Float64Array;
  readonly failedReceivedBytes: Float64Array;
  /**
   * Seconds that the point stands for, from its `second` on: 1, or more where the source tells no
   * more than windows. Merging takes the largest. Absent where all of them are 1.
   */
  readonly windowSeconds?: Uint16Array | undefined;
}

/** The distribution of elapsed times of the same points: extremes and a sparse histogram. */
export interface DistributionColumns {
  readonly minMicros: Float64Array;
  readonly maxMicros: Float64Array;
  /** The buckets of point i are entries `bucketsFrom[i]` to `bucketsFrom[i + 1]`, half open. */
  readonly bucketsFrom: Uint32Array;
  /** Bucket numbers of `histogram.ts`, ascending within a point, each at most once. */
  readonly bucket: Uint16Array;
  /** Values in that bucket, at least 1; over a point they add up to its `requests`. */
  readonly bucketCount: Float64Array;
}

/** Data points of several endpoints, sorted by (endpoint, second), no pair twice. */
export interface DataPoints extends SumColumns, DistributionColumns {
  /** Index into the table of labels that the points travel with. */
  readonly endpoint: Uint32Array;
}

/** How many points the columns hold. */
export function pointCount(points: SumColumns): number {
  return points.second.length;
}
