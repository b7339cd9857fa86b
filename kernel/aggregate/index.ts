/** Aggregates rows of batches into data points. Called by `src/aggregate/kernel-aggregator.ts`. */

export {
  BATCH_ROWS,
  BUCKET,
  BUCKET_COUNT,
  BUCKETS_FROM,
  ELAPSED_MICROS,
  FAILED_BUCKET,
  FAILED_BUCKET_COUNT,
  FAILED_BUCKETS_FROM,
  FAILED_REQUESTS,
  LABEL,
  LATENCIES_MAX,
  MIXED_EXTREMES,
  MIXED_POINT,
  OUT_CELLS,
  OUT_ENDPOINT,
  OUT_SECOND,
  PAGES,
  POINTS_MAX,
  RECEIVED_BYTES,
  RUN_FAILED,
  RUN_FROM,
  RUN_REQUESTS,
  SECOND,
} from "./layout";
export { clear, latencies, points, record } from "./record";
export {
  entries,
  failedEntries,
  firstSecond,
  lastSecond,
  mixed,
  overflowSecond,
  runs,
  seal,
  sealed,
} from "./seal";
