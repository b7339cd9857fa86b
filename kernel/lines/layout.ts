/**
 * Memory layout of the line reader, as byte offsets. Regions never move or grow; pages that are not used take
 * no memory.
 */

import { CLOSED_BYTES, WHOLE_BYTES } from "../whole";

/** Rows of a batch: `SAMPLE_BATCH_ROWS`. */
export const BATCH_ROWS: u32 = 4096;
/** Room for a record of 1 MiB and for the chunk that completes it, and to move unread bytes rarely. */
export const WINDOW_BYTES: u32 = 4 * 1024 * 1024;

/** Text between time and value, at most 16 bytes. */
export const BEFORE_VALUE: u32 = 4096;
/** The two minutes of RFC 3339 times that can be read, the one learnt last first: see times.ts. */
export const MINUTES: u32 = BEFORE_VALUE + 16;
export const MINUTE_BYTES: u32 = 64;
/** Input of `learnMetric`. */
export const TEXT: u32 = MINUTES + 2 * MINUTE_BYTES;
/** Request that waits for its outcome: see requests.ts. */
export const WAITING: u32 = TEXT + 256;
/** Shapes of tags: see shapes.ts. */
export const SHAPES: u32 = WAITING + 64;
export const SHAPES_MAX: u32 = 16;
export const SHAPE_BYTES: u32 = 32;

/** Table of metrics: see metrics.ts. */
export const METRICS: u32 = 8192;
export const METRICS_MAX: u32 = 256;
export const METRIC_BYTES: u32 = 256;

/** Columns of the batch, except for bytes and requests, which never change. */
export const LABEL: u32 = METRICS + METRICS_MAX * METRIC_BYTES;
export const SECOND: u32 = LABEL + BATCH_ROWS * 4;
export const ELAPSED_MICROS: u32 = SECOND + BATCH_ROWS * 4;
export const FAILED_REQUESTS: u32 = ELAPSED_MICROS + BATCH_ROWS * 8;

/** Failed rows of the last `read`: index in the batch, number of the tags. */
export const FAILED_ROW: u32 = FAILED_REQUESTS + BATCH_ROWS * 4;
export const FAILED_TAGS: u32 = FAILED_ROW + BATCH_ROWS * 4;
/** Of the rows that the last `read` opened: number of the tags, milliseconds within the second. */
export const ROW_TAGS: u32 = FAILED_TAGS + BATCH_ROWS * 4;
export const MILLIS: u32 = ROW_TAGS + BATCH_ROWS * 4;
/** Active users of the last `read`: UNIX second, number of users. */
export const USERS: u32 = MILLIS + BATCH_ROWS * 4;
/** Values recorded by the last `read`: numbers of metric and tags, ms since the epoch, value. */
export const MEASURED_MAX: u32 = 8192;
export const MEASURED_METRIC: u32 = USERS + BATCH_ROWS * 8;
export const MEASURED_TAGS: u32 = MEASURED_METRIC + MEASURED_MAX * 4;
export const MEASURED_MILLIS: u32 = MEASURED_TAGS + MEASURED_MAX * 4;
export const MEASURED_VALUE: u32 = MEASURED_MILLIS + MEASURED_MAX * 8;

/** Bytes to be read. A few bytes before and after them may be loaded. */
export const WINDOW: u32 = ((MEASURED_VALUE + MEASURED_MAX * 8) | 4095) + 1;

/** Table of tags: see tags.ts. */
export const TAGS_MAX: u32 = 16 * 1024;
export const SLOT_BITS: u32 = 16;
export const TEXT_BYTES: u32 = 8 * 1024 * 1024;
export const SLOTS: u32 = WINDOW + WINDOW_BYTES + 4096;
export const ENTRIES: u32 = SLOTS + (1 << SLOT_BITS) * 4;
export const ENTRY_BYTES: u32 = 32;
export const TEXTS: u32 = ENTRIES + TAGS_MAX * ENTRY_BYTES;

/** Sums to which values are added, by metric and tags: see sums.ts. */
export const SUM_METRICS: u32 = 64;
export const PLACES: u32 = ((TEXTS + TEXT_BYTES + 64) | 15) + 1;
/** Cells of endpoints, for two open minutes each; then sums of the load test: see ../whole.ts. */
export const ENDPOINTS_MAX: u32 = 2048;
export const CELL_BYTES: u32 = 48;
export const ENDPOINTS: u32 = PLACES + SUM_METRICS * TAGS_MAX * 4;
export const WHOLES_MAX: u32 = 64;
export const WHOLES: u32 = ENDPOINTS + ENDPOINTS_MAX * 2 * CELL_BYTES;
/** Sums closed by the last `read`. */
export const CLOSED_MAX: u32 = 4096;
export const CLOSED: u32 = WHOLES + WHOLES_MAX * WHOLE_BYTES;

/** Samples of the last `readLines`: see protocol.ts. */
export const SAMPLES_MAX: u32 = 4096;
export const SAMPLE_BYTES: u32 = 24;
export const SAMPLES: u32 = CLOSED + CLOSED_MAX * CLOSED_BYTES;
/** Input of `learnTags` for line protocol. */
export const HEAD_BYTES_MAX: u32 = 2048;
export const HEAD: u32 = SAMPLES + SAMPLES_MAX * SAMPLE_BYTES;

/** Memory size in pages of 64 KiB. */
export const PAGES: u32 = (HEAD + HEAD_BYTES_MAX + 16 + 65535) / 65536;
