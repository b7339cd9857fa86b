/**
 * What lies where in the memory of the line reader. Nothing in it ever moves or grows; pages that are
 * not used take no memory. All positions are in bytes.
 */

import { WHOLE_BYTES } from "../whole";

/** Rows of a batch: `SAMPLE_BATCH_ROWS`. */
export const BATCH_ROWS: u32 = 4096;
/** A record of 1 MiB, what comes with its end, and room to move the rest of it seldom. */
export const WINDOW_BYTES: u32 = 4 * 1024 * 1024;

/** What stands between time and value, 16 bytes at most. */
export const BEFORE_VALUE: u32 = 4096;
/** The minute in which times that are text lie, up to its colon, and their zone. */
export const MINUTE: u32 = BEFORE_VALUE + 16;
export const MINUTE_BYTES: u32 = 17;
export const ZONE: u32 = MINUTE + 32;
/** A text that is to be learnt as a metric. */
export const TEXT: u32 = ZONE + 16;
/** The request that waits for its outcome: see requests.ts. */
export const WAITING: u32 = TEXT + 256;

/** Metrics, by what their lines begin with: see metrics.ts. */
export const METRICS: u32 = 8192;
export const METRICS_MAX: u32 = 256;
export const METRIC_BYTES: u32 = 256;

/** The columns of the batch; those of bytes and requests never change. */
export const LABEL: u32 = METRICS + METRICS_MAX * METRIC_BYTES;
export const SECOND: u32 = LABEL + BATCH_ROWS * 4;
export const ELAPSED_MICROS: u32 = SECOND + BATCH_ROWS * 4;
export const FAILED_REQUESTS: u32 = ELAPSED_MICROS + BATCH_ROWS * 8;

/** Rows of the last reading that have failed: their place in the batch, and their tags. */
export const FAILED_ROW: u32 = FAILED_REQUESTS + BATCH_ROWS * 4;
export const FAILED_TAGS: u32 = FAILED_ROW + BATCH_ROWS * 4;
/** Users of the last reading: second, active. */
export const USERS: u32 = FAILED_TAGS + BATCH_ROWS * 4;
/** Values of the last reading: numbers of metric and tags, ms since the epoch, value. */
export const MEASURED_MAX: u32 = 8192;
export const MEASURED_METRIC: u32 = USERS + BATCH_ROWS * 8;
export const MEASURED_TAGS: u32 = MEASURED_METRIC + MEASURED_MAX * 4;
export const MEASURED_MILLIS: u32 = MEASURED_TAGS + MEASURED_MAX * 4;
export const MEASURED_VALUE: u32 = MEASURED_MILLIS + MEASURED_MAX * 8;

/** The bytes to be read. Before and behind them a few bytes more can be loaded. */
export const WINDOW: u32 = ((MEASURED_VALUE + MEASURED_MAX * 8) | 4095) + 1;

/** The table of tags: see tags.ts. */
export const TAGS_MAX: u32 = 16 * 1024;
export const SLOT_BITS: u32 = 16;
export const TEXT_BYTES: u32 = 8 * 1024 * 1024;
export const SLOTS: u32 = WINDOW + WINDOW_BYTES + 4096;
export const ENTRIES: u32 = SLOTS + (1 << SLOT_BITS) * 4;
export const ENTRY_BYTES: u32 = 32;
export const TEXTS: u32 = ENTRIES + TAGS_MAX * ENTRY_BYTES;

/** Where values are summed up, by metric and tags: see sums.ts. */
export const SUM_METRICS: u32 = 64;
export const PLACES: u32 = ((TEXTS + TEXT_BYTES + 64) | 15) + 1;
/** Sums of endpoints, two minutes each, as those of the load test, which follow: see ../whole.ts. */
export const ENDPOINTS_MAX: u32 = 2048;
export const CELL_BYTES: u32 = 48;
export const ENDPOINTS: u32 = PLACES + SUM_METRICS * TAGS_MAX * 4;
export const WHOLES_MAX: u32 = 64;
export const WHOLES: u32 = ENDPOINTS + ENDPOINTS_MAX * 2 * CELL_BYTES;
/** Sums that the last reading has closed. */
export const CLOSED_MAX: u32 = 4096;
export const CLOSED: u32 = WHOLES + WHOLES_MAX * WHOLE_BYTES;

/** Pages of 64 KiB. */
export const PAGES: u32 = (CLOSED + CLOSED_MAX * CELL_BYTES + 16 + 65535) / 65536;
