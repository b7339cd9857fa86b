/** The aggregate: rows of batches to data points. `src/aggregate/kernel-aggregator.ts` drives it. */

export {
  BATCH_ROWS,
  BUCKET,
  BUCKET_COUNT,
  BUCKETS_FROM,
  CELLS,
  ELAPSED_MICROS,
  FAILED_REQUESTS,
  LABEL,
  LATENCIES_MAX,
  ORDER,
  PAGES,
  POINT_LABEL,
  POINT_SECOND,
  POINTS_MAX,
  RECEIVED_BYTES,
  SECOND,
} from "./layout";
export { clear, latencies, points, record } from "./record";
export { sealLatencies } from "./seal";
