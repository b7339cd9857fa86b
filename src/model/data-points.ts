import type { UserTable } from "./active-users.ts";
import type { FailureTable } from "./failures.ts";
import type { ReportedPercentiles } from "./reported-percentiles.ts";
import type { Role } from "./role.ts";

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
  /** Over the requests that have a response time. */
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
  /** Requests without a response time, 0 to `requests`. Absent where all of them are 0. */
  readonly untimedRequests?: Float64Array | undefined;
  /** The failed ones among them, 0 to `failedRequests`. Absent where all of them are 0. */
  readonly untimedFailedRequests?: Float64Array | undefined;
}

/** The distribution of elapsed times of the same points: extremes and a sparse histogram. */
export interface DistributionColumns {
  /**
   * Bounds of the response times, so that merging is `Math.min` and `Math.max`: -Infinity where the
   * source does not record the minimum, +Infinity where no request has a response time.
   */
  readonly minMicros: Float64Array;
  /** +Infinity where the source does not record the maximum, -Infinity where no request has a time. */
  readonly maxMicros: Float64Array;
  /** The buckets of point i are entries `bucketsFrom[i]` to `bucketsFrom[i + 1]`, half open. */
  readonly bucketsFrom: Uint32Array;
  /** Bucket numbers of `histogram.ts`, ascending within a point, each at most once. */
  readonly bucket: Uint16Array;
  /**
   * Values in that bucket, at least 1. Over a point they add up to its requests with a response time,
   * or to fewer where the source records no more than the average of some of them.
   */
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

/** All that a stretch of a source measured. Every part of it merges; nothing depends on the cut. */
export interface MeasurementBatch {
  /** What `endpoint` of points and failures points into; may hold labels that are not used. */
  readonly labels: readonly string[];
  /** What the rows under each of `labels` are, as far as is known. Absent: requests, all of them. */
  readonly roles?: readonly Role[] | undefined;
  readonly points: DataPoints;
  readonly failures: FailureTable;
  readonly users: UserTable;
  /** Percentiles that the load tool computed itself. Absent where there are none. */
  readonly reported?: ReportedPercentiles | undefined;
}
