/**
 * Memory layout of the row reader, as byte offsets. Regions never move or grow; pages that are not used take
 * no memory.
 */

import { CLOSED_BYTES, WHOLE_BYTES } from "../whole";

/** Rows of a batch: `SAMPLE_BATCH_ROWS`. */
export const BATCH_ROWS: u32 = 4096;
/** Room for a record of 1 MiB and for the chunk that completes it, and to move unread bytes rarely. */
export const WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/** Bytes searched for separators at once: they stay in the L1 cache. */
export const STRETCH_BYTES: u32 = 16 * 1024;

/** Columns of the source: see columns.ts. */
export const COLUMNS: u32 = 4096;
/** Minute of the text timestamps that can be read, at most 16 bytes. */
export const MINUTE: u32 = COLUMNS + 128;

/** Columns of the batch. */
export const LABEL: u32 = 8192;
export const SECOND: u32 = LABEL + BATCH_ROWS * 4;
export const ELAPSED_MICROS: u32 = SECOND + BATCH_ROWS * 4;
export const RECEIVED_BYTES: u32 = ELAPSED_MICROS + BATCH_ROWS * 8;
export const REQUESTS: u32 = RECEIVED_BYTES + BATCH_ROWS * 8;
export const FAILED_REQUESTS: u32 = REQUESTS + BATCH_ROWS * 4;
/** Milliseconds within the second, which batches do not have. */
export const MILLIS: u32 = FAILED_REQUESTS + BATCH_ROWS * 4;

/** Numbers of their facets: see facets.ts. */
export const ROW_FACETS: u32 = MILLIS + BATCH_ROWS * 4;

/** Where each row begins. */
export const ROW_AT: u32 = ROW_FACETS + BATCH_ROWS * 4;

/** Failed rows of the last `read`: index in the batch, position, kind. */
export const FAILED_ROW: u32 = ROW_AT + BATCH_ROWS * 4;
export const FAILED_AT: u32 = FAILED_ROW + BATCH_ROWS * 4;
export const FAILED_KIND: u32 = FAILED_AT + BATCH_ROWS * 4;
/** Passed rows of the last `read` with a code other than 200: the same three columns. */
export const CODE_ROW: u32 = FAILED_KIND + BATCH_ROWS * 4;
export const CODE_AT: u32 = CODE_ROW + BATCH_ROWS * 4;
export const CODE_KIND: u32 = CODE_AT + BATCH_ROWS * 4;
/** Columns of measures, by row of the batch: see measured.ts. */
export const MEASURES: u32 = 4;
export const MEASURED: u32 = CODE_KIND + BATCH_ROWS * 4;
/** Active users reported by the last `read`: generator, UNIX second, number of users. */
export const USERS: u32 = MEASURED + MEASURES * BATCH_ROWS * 4;
/** Cache of the users last reported by second and generator: the same three fields. */
export const REPORTED: u32 = USERS + BATCH_ROWS * 12;
export const REPORTED_BITS: u32 = 8;

/** Key of the kind of a row: see kinds.ts. */
export const KIND_BYTES_MAX: u32 = 2048;
export const KIND_KEY: u32 = REPORTED + (1 << REPORTED_BITS) * 12;
/** Positions of the delimiters and line ends of a stretch, and of the line ends alone. */
export const SEPARATORS: u32 = KIND_KEY + KIND_BYTES_MAX + 64;
export const LINE_ENDS: u32 = SEPARATORS + (STRETCH_BYTES + 128) * 4;

/** Value of the label of each line in the table of labels. */
export const LABEL_VALUES: u32 = LINE_ENDS + (STRETCH_BYTES + 128) * 4;

/** Bytes to be read. A few bytes before and after them may be loaded. */
export const WINDOW: u32 = ((LABEL_VALUES + (STRETCH_BYTES + 128) * 4) | 4095) + 1;

/** Four tables of texts: see texts.ts. */
export const LABELS: u32 = WINDOW + WINDOW_BYTES + 4096;
export const TEXTS_MAX: u32 = 128 * 1024;
export const SLOT_BITS: u32 = 18;
export const TEXT_BYTES: u32 = 8 * 1024 * 1024;
export const TABLE_BYTES: u32 = 64 + (1 << SLOT_BITS) * 4 + TEXTS_MAX * 16 + TEXT_BYTES;
export const HOSTS: u32 = LABELS + TABLE_BYTES;

export const KINDS: u32 = HOSTS + TABLE_BYTES;
export const FACETS: u32 = KINDS + TABLE_BYTES;

/** Where the measures of each row are summed up: place (twice the slot of its label, plus 1 in an odd minute), open second. */
export const PLACES: u32 = ((FACETS + TABLE_BYTES) | 15) + 1;
export const OPENS: u32 = PLACES + BATCH_ROWS * 4;
/** Open minutes of places; those of all measures are adjacent. */
export const SUM_PLACES: u32 = 4096;
export const SUM_MINUTES: u32 = OPENS + BATCH_ROWS * 4;
/** Sums of each measure: count, sum, minimum and maximum by place, then those of the load test: see ../whole.ts. */
export const SUMS: u32 = SUM_MINUTES + SUM_PLACES * MEASURES * 4;
export const WHOLE: u32 = SUM_PLACES * 32;
export const SUM_BYTES: u32 = WHOLE + WHOLE_BYTES;

/** By label, in two bytes: its slot plus 1, or 0; the highest bit is set if its rows count for the load test. */
export const SLOTTED_LABELS: u32 = 128 * 1024;
export const LABEL_SLOTS: u32 = SUMS + MEASURES * SUM_BYTES;
/** Sums that were closed: see sums.ts. */
export const CLOSED_MAX: u32 = 4096;
export const CLOSED: u32 = LABEL_SLOTS + SLOTTED_LABELS * 2;

/** Memory size in pages of 64 KiB. */
export const PAGES: u32 = (CLOSED + CLOSED_MAX * CLOSED_BYTES + 16 + 65535) / 65536;
