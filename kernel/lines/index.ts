/** Reads plain lines of k6. Called by `src/decode/k6/k6-kernel.ts`. */

export {
  BATCH_ROWS,
  BEFORE_VALUE,
  CLOSED,
  CLOSED_MAX,
  ELAPSED_MICROS,
  ENDPOINTS_MAX,
  FAILED_REQUESTS,
  FAILED_ROW,
  FAILED_TAGS,
  HEAD,
  HEAD_BYTES_MAX,
  LABEL,
  MEASURED_MAX,
  MEASURED_METRIC,
  MEASURED_MILLIS,
  MEASURED_TAGS,
  MEASURED_VALUE,
  MILLIS,
  PAGES,
  ROW_TAGS,
  SAMPLES,
  SECOND,
  TEXT,
  USERS,
  WAITING,
  WHOLES,
  WHOLES_MAX,
  WINDOW,
  WINDOW_BYTES,
} from "./layout";
export { measured } from "./measured";
export { forgetMetrics, learnMetric } from "./metrics";
export { linesRead, otherLoadTest, readLines, samples } from "./protocol";
export { allowZeros, isFull, lines, locate, read, tagsFrom, timeTo, users } from "./read";
export { coarse, failures, fine, rows, unlabelled, unmarked } from "./requests";
export { blocked, closeAll, closed, learnPlaces, refused } from "./sums";
export { WHOLE_BYTES } from "../whole";
export { forgetTags, learnShape, learnTags, lengthOfTags, textOfTags } from "./tags";
export { forgetMinutes, learnMinute, useForm } from "./times";
