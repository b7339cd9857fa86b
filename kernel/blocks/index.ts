/** Encodes blocks of points and of measures. Called by `src/store/block/block-kernel.ts`. */

export { distributionBytes, encode } from "./encode";
export { encodeMeasures, measuresBytes, measureSectionsBytes } from "./measures";
export { areSomeAbsent, extremesBytes } from "./extremes";
export { lowBitsBytes, streamsBytes } from "./histograms";
export {
  BUCKET,
  BUCKET_COUNT,
  BUCKETS_FROM,
  DISTANCES,
  DISTRIBUTION,
  ENTRIES_MAX,
  EXTREMES,
  KEPT,
  OPTIONAL,
  PAGES,
  PICKED_ELAPSED,
  PLAIN,
  PLAIN_SECTIONS,
  POINTS_MAX,
  REQUESTS,
  RUN_ENDPOINT,
  RUN_ENTRIES,
  RUN_POINTS,
  SECOND,
  STREAMS,
} from "./layout";
export { plainBytes, plainSectionsBytes } from "./plain";
