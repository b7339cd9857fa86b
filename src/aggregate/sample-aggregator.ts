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

/** Logged latencies at which an aggregator asks for a flush, or open points: at least, per label, and at most. */
const LATENCIES_WANTED = 1024 * 1024;
const POINTS_WANTED = 64 * 1024;
const POINTS_PER_LABEL = 512;
const POINTS_WANTED_MAX = 512 * 1024;
/** Memory for points and labels together, in points: a label takes about as much as two. */
const POINTS_AND_LABELS_MAX = 704 * 1024;
const POINTS_OF_LABEL = 2;

/** Whether a flush is due. Few points per label would make many small blocks. */
export function areMany(
  { points, latencies }: { readonly points: number; readonly latencies: number },
  labels: number,
): boolean {
  const pointsWanted = Math.min(
    POINTS_PER_LABEL * labels,
    POINTS_WANTED_MAX,
    POINTS_AND_LABELS_MAX - POINTS_OF_LABEL * labels,
  );
  return points >= Math.max(POINTS_WANTED, pointsWanted) || latencies >= LATENCIES_WANTED;
}
