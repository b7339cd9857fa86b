/**
 * What lies where in the memory of the row reader. Nothing in it ever moves or grows; pages that are
 * not used take no memory. All positions are in bytes.
 */

import { WHOLE_BYTES } from "../whole";

/** Rows of a batch: `SAMPLE_BATCH_ROWS`. */
export const BATCH_ROWS: u32 = 4096;
/** A record of 1 MiB, what comes with its end, and room to move the rest of it seldom. */
export const WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/** How much is searched for separators at once: it stays in the first cache. */
export const STRETCH_BYTES: u32 = 16 * 1024;

/** The columns of the source: see columns.ts. */
export const COLUMNS: u32 = 4096;
/** The minute in which timestamps that are text lie, 16 bytes at most. */
export const MINUTE: u32 = COLUMNS + 128;

/** The columns of the batch. */
export const LABEL: u32 = 8192;
export const SECOND: u32 = LABEL + BATCH_ROWS * 4;
export const ELAPSED_MICROS: u32 = SECOND + BATCH_ROWS * 4;
export const RECEIVED_BYTES: u32 = ELAPSED_MICROS + BATCH_ROWS * 8;
export const REQUESTS: u32 = RECEIVED_BYTES + BATCH_ROWS * 8;
export const FAILED_REQUESTS: u32 = REQUESTS + BATCH_ROWS * 4;
/** Beside them, milliseconds within the second. */
export const MILLIS: u32 = FAILED_REQUESTS + BATCH_ROWS * 4;

/** Rows of the last reading that have failed: their place in the batch, where they begin, and the kind. */
export const FAILED_ROW: u32 = MILLIS + BATCH_ROWS * 4;
export const FAILED_AT: u32 = FAILED_ROW + BATCH_ROWS * 4;
export const FAILED_KIND: u32 = FAILED_AT + BATCH_ROWS * 4;
/** Passed rows of the last reading with a code other than 200: the same three. */
export const CODE_ROW: u32 = FAILED_KIND + BATCH_ROWS * 4;
export const CODE_AT: u32 = CODE_ROW + BATCH_ROWS * 4;
export const CODE_KIND: u32 = CODE_AT + BATCH_ROWS * 4;
/** Values of measures, a column each, beside the batch: see measured.ts. */
export const MEASURES: u32 = 4;
export const MEASURED: u32 = CODE_KIND + BATCH_ROWS * 4;
/** Users to be told: generator, second, active. */
export const USERS: u32 = MEASURED + MEASURES * BATCH_ROWS * 4;
/** What was told last, by second and generator: the same three. */
export const TOLD: u32 = USERS + BATCH_ROWS * 12;
export const TOLD_BITS: u32 = 8;

/** What tells the kind of a failed row: see kinds.ts. */
export const KIND_BYTES_MAX: u32 = 2048;
export const KIND_KEY: u32 = TOLD + (1 << TOLD_BITS) * 12;
/** Where the delimiters and line ends of a stretch are, and the line ends alone. */
export const SEPARATORS: u32 = KIND_KEY + KIND_BYTES_MAX + 64;
export const LINE_ENDS: u32 = SEPARATORS + (STRETCH_BYTES + 128) * 4;

/** What is known of the label of each line, as the table says it. */
export const LABEL_VALUES: u32 = LINE_ENDS + (STRETCH_BYTES + 128) * 4;

/** The bytes to be read. Before and behind them a few bytes more can be loaded. */
export const WINDOW: u32 = ((LABEL_VALUES + (STRETCH_BYTES + 128) * 4) | 4095) + 1;

/** Three tables of texts: see texts.ts. */
export const LABELS: u32 = WINDOW + WINDOW_BYTES + 4096;
export const TEXTS_MAX: u32 = 128 * 1024;
export const SLOT_BITS: u32 = 18;
export const TEXT_BYTES: u32 = 8 * 1024 * 1024;
export const TABLE_BYTES: u32 = 64 + (1 << SLOT_BITS) * 4 + TEXTS_MAX * 16 + TEXT_BYTES;
export const HOSTS: u32 = LABELS + TABLE_BYTES;

export const KINDS: u32 = HOSTS + TABLE_BYTES;

/** Where the measures of a row are summed up: a place, the minute, the second. */
export const PLACES: u32 = ((KINDS + TABLE_BYTES) | 15) + 1;
export const PLACE_MINUTES: u32 = PLACES + BATCH_ROWS * 4;
export const OPENS: u32 = PLACE_MINUTES + BATCH_ROWS * 4;
/** The minutes of places, of all measures side by side. */
export const SUM_PLACES: u32 = 4096;
export const SUM_MINUTES: u32 = OPENS + BATCH_ROWS * 4;
/** Sums of each measure: count, sum, minimum and maximum of places, and those of the load test: see sums.ts. */
export const SUMS: u32 = SUM_MINUTES + SUM_PLACES * MEASURES * 4;
export const WHOLE: u32 = SUM_PLACES * 32;
export const SUM_BYTES: u32 = WHOLE + WHOLE_BYTES;

/** By label, two bytes each: its slot plus 1, 0 if it has none; and whether its rows are of the load test. */
export const SLOTTED_LABELS: u32 = 128 * 1024;
export const LABEL_SLOTS: u32 = SUMS + MEASURES * SUM_BYTES;

/** Pages of 64 KiB. */
export const PAGES: u32 = (LABEL_SLOTS + SLOTTED_LABELS * 2 + 16 + 65535) / 65536;
