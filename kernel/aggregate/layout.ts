/**
 * Memory layout of the aggregate kernel, as byte offsets. Regions never move or grow; pages that are not used take
 * no memory.
 */

import { BUCKET_COUNT as BUCKET_COUNT_OF_LAYOUT } from "../../src/model/buckets/bucket-layout";

/** Rows of a batch: `SAMPLE_BATCH_ROWS`. */
export const BATCH_ROWS: u32 = 4096;
/** Capacity in open points and in latencies, somewhat above the numbers at which a flush is requested. */
export const POINTS_MAX: u32 = 520 * 1024;
export const LATENCIES_MAX: u32 = 1024 * 1024 + 64 * 1024;
/** Slots for 64 seconds of 4,096 labels, or any other product of the two. */
export const SLOT_BITS: u32 = 18;
/** One more than the highest bucket, of 15 bits. */
export const BUCKETS: u32 = <u32>BUCKET_COUNT_OF_LAYOUT;

/** Columns of the batch. */
export const LABEL: u32 = 4096;
export const SECOND: u32 = LABEL + BATCH_ROWS * 4;
export const ELAPSED_MICROS: u32 = SECOND + BATCH_ROWS * 4;
export const RECEIVED_BYTES: u32 = ELAPSED_MICROS + BATCH_ROWS * 8;
export const FAILED_REQUESTS: u32 = RECEIVED_BYTES + BATCH_ROWS * 8;

/** Slots, each with an open point that must be verified: see `pointOf`. */
export const SLOTS: u32 = FAILED_REQUESTS + BATCH_ROWS * 4;
/** Label, second and cells of each open point: six sums and two extremes of eight bytes each. */
export const POINT_LABEL: u32 = SLOTS + (1 << SLOT_BITS) * 4;
export const POINT_SECOND: u32 = POINT_LABEL + POINTS_MAX * 4;
export const CELLS: u32 = POINT_SECOND + POINTS_MAX * 4;
/** Minimum and maximum of the failed requests of each open point that has any. */
export const FAILED_EXTREMES: u32 = CELLS + POINTS_MAX * 64;
/** Point of each request, then their buckets; the same of failed requests. */
export const LOG: u32 = FAILED_EXTREMES + POINTS_MAX * 16;
export const FAILED_LOG: u32 = LOG + LATENCIES_MAX * 6;
export const LOG_BUCKETS: u32 = LATENCIES_MAX * 4;

/** For `seal`: the points in order, and the index of the next latency of each. */
export const ORDER: u32 = FAILED_LOG + LATENCIES_MAX * 6;
export const NEXT: u32 = ORDER + POINTS_MAX * 4;
/** Occurrences of each digit in one pass of the radix sort. */
export const DIGIT_BITS: u32 = 11;
export const DIGITS: u32 = NEXT + POINTS_MAX * 4;

/** Output: the columns of `DataPoints`. */
export const OUT_ENDPOINT: u32 = DIGITS + (1 << DIGIT_BITS) * 4;
export const OUT_SECOND: u32 = OUT_ENDPOINT + POINTS_MAX * 4;
/** Columns of the sums, then of the extremes, in the order of the cells. */
export const OUT_CELLS: u32 = OUT_SECOND + POINTS_MAX * 4;
/** Histograms, as in `DistributionColumns`. */
export const BUCKETS_FROM: u32 = OUT_CELLS + POINTS_MAX * 64;
export const BUCKET: u32 = BUCKETS_FROM + (POINTS_MAX + 4) * 4;
export const BUCKET_COUNT: u32 = BUCKET + LATENCIES_MAX * 2;
/** Runs of points of one label: the first point of each and the end, then requests and failed requests of each. */
export const RUN_FROM: u32 = BUCKET_COUNT + LATENCIES_MAX * 8;
export const RUN_REQUESTS: u32 = RUN_FROM + (POINTS_MAX + 4) * 4;
export const RUN_FAILED: u32 = RUN_REQUESTS + POINTS_MAX * 8;
/** Outcomes: points, four columns of extremes of passed and of failed requests, histograms of failed requests. */
export const MIXED_POINT: u32 = RUN_FAILED + POINTS_MAX * 8;
export const MIXED_EXTREMES: u32 = MIXED_POINT + POINTS_MAX * 4;
export const FAILED_BUCKETS_FROM: u32 = MIXED_EXTREMES + POINTS_MAX * 32;
export const FAILED_BUCKET: u32 = FAILED_BUCKETS_FROM + (POINTS_MAX + 4) * 4;
export const FAILED_BUCKET_COUNT: u32 = (FAILED_BUCKET + LATENCIES_MAX * 2 + 7) & ~7;
/** Occurrences of each bucket in one point, and a bit for each bucket that has any. */
export const TALLY: u32 = FAILED_BUCKET_COUNT + LATENCIES_MAX * 8;
export const TALLIED: u32 = (TALLY + BUCKETS * 4 + 7) & ~7;

/** Memory size in pages of 64 KiB. */
export const PAGES: u32 = (TALLIED + BUCKETS / 8 + 8 + 65535) / 65536;
