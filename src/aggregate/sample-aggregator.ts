import type { DataPoints } from "../model/data-points.ts";
import type { SampleBatch } from "../model/sample-batch.ts";

/** Turns samples into data points: one for each label and second, sums and histogram exact. */
export interface SampleAggregator {
  /** Points that have gathered since the last `flush`. */
  readonly points: number;
  /** Whether enough has gathered for `flush`; recording further rows is still allowed. */
  readonly wantsFlush: boolean;
  /** Adds the rows of `batch`, which may be reused afterwards. */
  record(batch: SampleBatch): void;
  /** Gives away all points, sorted by (label, second), and begins anew. Throws `sum-too-large`. */
  flush(): DataPoints;
}

/** Open points and logged latencies at which an aggregator asks to be flushed. */
export const POINTS_WANTED = 64 * 1024;
export const LATENCIES_WANTED = 1024 * 1024;
