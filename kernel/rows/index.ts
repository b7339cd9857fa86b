/** Reads plain rows of JMeter's CSV. Called by `src/decode/jmeter/jmeter-kernel.ts`. */

export { forgetFacets } from "./facets";
export { forget } from "./forget";
export { useMinute } from "./instants";
export {
  BATCH_ROWS,
  CLOSED,
  CLOSED_MAX,
  CODE_AT,
  CODE_KIND,
  CODE_ROW,
  COLUMNS,
  ELAPSED_MICROS,
  FAILED_AT,
  FAILED_KIND,
  FAILED_REQUESTS,
  FAILED_ROW,
  HOSTS,
  KIND_BYTES_MAX,
  KIND_KEY,
  KINDS,
  LABEL,
  LABELS,
  LABEL_SLOTS,
  MEASURED,
  MILLIS,
  MINUTE,
  PAGES,
  RECEIVED_BYTES,
  REQUESTS,
  ROW_AT,
  ROW_FACETS,
  SECOND,
  SLOTTED_LABELS,
  SUM_BYTES,
  SUMS,
  USERS,
  WHOLE,
  WINDOW,
  WINDOW_BYTES,
} from "./layout";
export { codes, failures, lines, read, rows } from "./read";
export {
  clearRequest,
  requestAt,
  requestElapsedMicros,
  requestLabel,
  requestMillis,
  requestSecond,
} from "./roles";
export { areZero, blocked, closeAll, closed, openSlot, sumRow, sumRows } from "./sums";
export { learn } from "./texts";
export { users } from "./users";
