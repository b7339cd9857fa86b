/** Memory layout of the renderer, as byte offsets. */

/** Points loaded at once. A longer series is rendered in several parts. */
export const POINTS_MAX: u32 = 4096;
/** Written by one call, so that the output is still in a fast cache when copied. A row has at most 163 bytes, a point 46. */
export const ROWS_AT_ONCE: u32 = 256;
export const POINTS_AT_ONCE: u32 = 1024;
const OUTPUT_BYTES: u32 = 64 * 1024;

/** Digits of 0 to 999: see `digits.ts`. */
export const PADDED: u32 = 4096;
export const UNPADDED: u32 = PADDED + 1000 * 4;
/** Texts of up to 8 bytes. */
export const BEFORE_X: u32 = UNPADDED + 1000 * 4;
export const BEFORE_Y: u32 = BEFORE_X + 8;
export const DRAFT: u32 = BEFORE_Y + 8;

export const SECOND: u32 = DRAFT + 32;
/** Sums, in the order of `SUM_NAMES`. */
export const REQUESTS: u32 = SECOND + POINTS_MAX * 4;
export const ELAPSED_MICROS: u32 = REQUESTS + POINTS_MAX * 8;
export const RECEIVED_BYTES: u32 = ELAPSED_MICROS + POINTS_MAX * 8;
export const FAILED_REQUESTS: u32 = RECEIVED_BYTES + POINTS_MAX * 8;
export const FAILED_ELAPSED_MICROS: u32 = FAILED_REQUESTS + POINTS_MAX * 8;
export const FAILED_RECEIVED_BYTES: u32 = FAILED_ELAPSED_MICROS + POINTS_MAX * 8;
/** Requests and failed requests with a time, if some have none; seconds of each window, if they differ. */
export const TIMED: u32 = FAILED_RECEIVED_BYTES + POINTS_MAX * 8;
export const TIMED_FAILED: u32 = TIMED + POINTS_MAX * 8;
export const WINDOW: u32 = TIMED_FAILED + POINTS_MAX * 8;

export const OUTPUT: u32 = WINDOW + POINTS_MAX * 8;

/** Memory size in pages of 64 KiB. */
export const PAGES: u32 = (OUTPUT + OUTPUT_BYTES + 65535) / 65536;
