import type { DataPoints } from "../model/data-points.ts";
import type { SampleBatch } from "../model/sample-batch.ts";

/** Aggregates samples into one data point per label and second, with exact sums and histogram. */
export interface SampleAggregator {
  /** Points since the last `flush`. */
  readonly points: number;
  /** Whether a `flush` is due, given how many labels the source has so far; more rows may still be recorded. */
  wantsFlush(labels: number): boolean;
  /** Adds the rows of `batch`, which may be reused afterwards. */
  record(batch: SampleBatch): void;
  /** Returns all points sorted by (label, second) and resets. Throws `sum-too-large`. */
  flush(): DataPoints;
  /** Gives memory back after the last `flush`, for the next source. */
  release?(): void;
}
