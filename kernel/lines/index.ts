/** The reader of plain lines of k6. `src/decode/k6/k6-kernel.ts` drives it. */

export {
  BATCH_ROWS,
  BEFORE_VALUE,
  ELAPSED_MICROS,
  FAILED_REQUESTS,
  FAILED_ROW,
  FAILED_TAGS,
  LABEL,
  MINUTE,
  PAGES,
  SECOND,
  TEXT,
  USERS,
  WAITING,
  WINDOW,
  WINDOW_BYTES,
  ZONE,
} from "./layout";
export { forgetMetrics, learnMetric } from "./metrics";
export { allowZeros, lines, locate, read, tagsFrom, timeTo, users } from "./read";
export { coarse, failures, fine, rows, unlabelled, unmarked } from "./requests";
export { forgetTags, learnTags } from "./tags";
export { useForm, useMinute } from "./times";
