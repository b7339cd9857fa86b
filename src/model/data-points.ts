import type { UserTable } from "./active-users.ts";
import type { FailureTable } from "./failures.ts";
import type { MeasureTable } from "./measures/measure-table.ts";
import type { ReportedPercentiles } from "./reported-percentiles.ts";
import type { StoredRole } from "./role.ts";
import type { SampleEntry } from "./samples/child-spans.ts";

/**
 * Data points as columns. A data point is what one endpoint did in one second: integers that merge associatively
 * and commutatively (`merge-points.ts`), so that order, files, machines and retries cannot change a result.
 */

/** Index i of every column is point i. */
export interface SumColumns {
  /** UNIX second (UTC); 0: timestamp unknown. */
  readonly second: Uint32Array;
  /** Includes failed requests; at least 1. */
  readonly requests: Float64Array;
  /** Sum over the requests with a response time. */
  readonly elapsedMicros: Float64Array;
  readonly receivedBytes: Float64Array;
  /** The same sums over failed requests. */
  readonly failedRequests: Float64Array;
  readonly failedElapsedMicros: Float64Array;
  readonly failedReceivedBytes: Float64Array;
  /** Seconds that the point covers from `second` on. Merging takes the maximum. Absent if all are 1. */
  readonly windowSeconds?: Uint16Array | undefined;
  /** Requests without a response time. Absent if all are 0. */
  readonly untimedRequests?: Float64Array | undefined;
  /** Failed requests without a response time. Absent if all are 0. */
  readonly untimedFailedRequests?: Float64Array | undefined;
}

export interface DistributionColumns {
  /** -Infinity if not recorded, +Infinity if no request has a response time: merging is `Math.min` and `Math.max`. */
  readonly minMicros: Float64Array;
  /** +Infinity if the maximum is not recorded, -Infinity if no request has a response time. */
  readonly maxMicros: Float64Array;
  /** Point i has the entries `[bucketsFrom[i], bucketsFrom[i + 1])`. */
  readonly bucketsFrom: Uint32Array;
  /** Buckets of `histogram.ts`, strictly ascending within a point. */
  readonly bucket: Uint16Array;
  /** At least 1. Their sum: the requests with a response time, or fewer if of some only an average is known. */
  readonly bucketCount: Float64Array;
}

/**
 * Mixed points whose response times of passed and failed requests are known; of others they are unknown. All numbers
 * are finite, and the histogram of a point has all its failed requests with a response time.
 */
export interface Outcomes {
  /** Indexes of points, strictly ascending. */
  readonly point: Uint32Array;
  readonly passedMinMicros: Float64Array;
  readonly passedMaxMicros: Float64Array;
  /** Entry i belongs to `point[i]`. */
  readonly failed: DistributionColumns;
}

export type SeriesColumns = SumColumns & DistributionColumns;

export interface OutcomeColumns extends SumColumns, DistributionColumns {
  /** Absent if no mixed point is known. */
  readonly outcomes?: Outcomes | undefined;
}

/** Sorted by (endpoint, second), unique. */
export interface DataPoints extends OutcomeColumns {
  /** Index into the labels that the points travel with. */
  readonly endpoint: Uint32Array;
}

export function pointCount(points: SumColumns): number {
  return points.second.length;
}

/** Measurements of any part of a source; batches merge however the source is split. */
export interface MeasurementBatch {
  /** May hold unused labels. */
  readonly labels: readonly string[];
  /** Role of each label as far as known. Absent: all are requests. */
  readonly roles?: readonly StoredRole[] | undefined;
  readonly points: DataPoints;
  readonly failures: FailureTable;
  readonly users: UserTable;
  /** Percentiles that the load tool computed. Absent if there are none. */
  readonly reported?: ReportedPercentiles | undefined;
  /** Absent if there are none. */
  readonly measures?: MeasureTable | undefined;
  /** Some requests whole, with the names of their series, and spans of them. Absent if there are none. */
  readonly samples?: readonly SampleEntry[] | undefined;
}
