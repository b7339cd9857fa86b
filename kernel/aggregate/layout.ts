/**
 * What lies where in the memory of the aggregate. Nothing in it ever moves or grows; pages that are
 * not used take no memory. All positions are in bytes.
 */

/** Rows of a batch: `SAMPLE_BATCH_ROWS`. */
export const BATCH_ROWS: u32 = 4096;
/** Open points that fit, and latencies: somewhat more than those at which sealing is asked for. */
export const POINTS_MAX: u32 = 520 * 1024;
export const LATENCIES_MAX: u32 = 1024 * 1024 + 64 * 1024;
/** 64 seconds of 4,096 labels, or any other product of the two. */
export const SLOT_BITS: u32 = 18;
/** One more than the highest bucket: `BUCKET_COUNT`. */
export const BUCKETS: u32 = 3072;

/** The columns of the batch. */
export const LABEL: u32 = 4096;
export const SECOND: u32 = LABEL + BATCH_ROWS * 4;
export const ELAPSED_MICROS: u32 = SECOND + BATCH_ROWS * 4;
export const RECEIVED_BYTES: u32 = ELAPSED_MICROS + BATCH_ROWS * 8;
export const FAILED_REQUESTS: u32 = RECEIVED_BYTES + BATCH_ROWS * 8;

/** Slot to open point. What a slot says is only a guess, see `pointOf`. */
export const SLOTS: u32 = FAILED_REQUESTS + BATCH_ROWS * 4;
/** Label and second of each open point, and its eight sums and extremes of eight bytes. */
export const POINT_LABEL: u32 = SLOTS + (1 << SLOT_BITS) * 4;
export const POINT_SECOND: u32 = POINT_LABEL + POINTS_MAX * 4;
export const CELLS: u32 = POINT_SECOND + POINTS_MAX * 4;
/** Minimum and maximum of the failed requests of each open point that has any. */
export const FAILED_EXTREMES: u32 = CELLS + POINTS_MAX * 64;
/** Pairs of an open point and a bucket: `point << 12 | bucket`; of all requests, and of failed ones. */
export const LOG: u32 = FAILED_EXTREMES + POINTS_MAX * 16;
export const FAILED_LOG: u32 = LOG + LATENCIES_MAX * 4;

/** For sealing: the points in their order, and where the next latency of each belongs. */
export const ORDER: u32 = FAILED_LOG + LATENCIES_MAX * 4;
export const NEXT: u32 = ORDER + POINTS_MAX * 4;
/** How often each digit of a sorted number occurs. */
export const DIGIT_BITS: u32 = 11;
export const DIGITS: u32 = NEXT + POINTS_MAX * 4;

/** What comes out of it: the columns of `DataPoints`, */
export const OUT_ENDPOINT: u32 = DIGITS + (1 << DIGIT_BITS) * 4;
export const OUT_SECOND: u32 = OUT_ENDPOINT + POINTS_MAX * 4;
/** first the sums, in the order of the cells, then the extremes, */
export const OUT_CELLS: u32 = OUT_SECOND + POINTS_MAX * 4;
/** then histograms as in `DistributionColumns`; */
export const BUCKETS_FROM: u32 = OUT_CELLS + POINTS_MAX * 64;
export const BUCKET: u32 = BUCKETS_FROM + (POINTS_MAX + 4) * 4;
/** and the first point of each run of one label and the end, with its sums of requests and of failed ones; */
export const BUCKET_COUNT: u32 = BUCKET + LATENCIES_MAX * 2;
export const RUN_FROM: u32 = BUCKET_COUNT + LATENCIES_MAX * 8;
export const RUN_REQUESTS: u32 = RUN_FROM + (POINTS_MAX + 4) * 4;
export const RUN_FAILED: u32 = RUN_REQUESTS + POINTS_MAX * 8;
/** and the outcomes: points, four columns with the extremes of passed and of failed requests, histograms of failed ones. */
export const MIXED_POINT: u32 = RUN_FAILED + POINTS_MAX * 8;
export const MIXED_EXTREMES: u32 = MIXED_POINT + POINTS_MAX * 4;
export const FAILED_BUCKETS_FROM: u32 = MIXED_EXTREMES + POINTS_MAX * 32;
export const FAILED_BUCKET: u32 = FAILED_BUCKETS_FROM + (POINTS_MAX + 4) * 4;
export const FAILED_BUCKET_COUNT: u32 = (FAILED_BUCKET + LATENCIES_MAX * 2 + 7) & ~7;
/** How often each bucket occurs in one point. */
export const TALLY: u32 = FAILED_BUCKET_COUNT + LATENCIES_MAX * 8;

/** Pages of 64 KiB. */
export const PAGES: u32 = (TALLY + BUCKETS * 4 + 65535) / 65536;
