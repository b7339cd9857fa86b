/**
 * Memory layout of the block encoder, as byte offsets. Regions never move or grow; pages that are not used take
 * no memory.
 */

import { BUCKET_COUNT as BUCKET_COUNT_OF_LAYOUT } from "../../src/model/buckets/bucket-layout";

/** Capacity in points (`BLOCK_ROWS_MAX`, and the seconds of a minute of measures) and in used buckets. */
export const POINTS_MAX: u32 = 16 * 1024 + 64;
export const ENTRIES_MAX: u32 = 1024 * 1024;
/** One more than the highest bucket. */
export const BUCKETS: u32 = <u32>BUCKET_COUNT_OF_LAYOUT;

/** Endpoint, number of points and number of used buckets of each run. */
export const RUN_ENDPOINT: u32 = 4096;
export const RUN_POINTS: u32 = RUN_ENDPOINT + POINTS_MAX * 4;
export const RUN_ENTRIES: u32 = RUN_POINTS + POINTS_MAX * 4;

/** Columns of the points, run after run. */
export const SECOND: u32 = RUN_ENTRIES + POINTS_MAX * 4;
export const REQUESTS: u32 = SECOND + POINTS_MAX * 4;
export const ELAPSED_MICROS: u32 = REQUESTS + POINTS_MAX * 8;
export const RECEIVED_BYTES: u32 = ELAPSED_MICROS + POINTS_MAX * 8;
export const FAILED_REQUESTS: u32 = RECEIVED_BYTES + POINTS_MAX * 8;
export const FAILED_ELAPSED_MICROS: u32 = FAILED_REQUESTS + POINTS_MAX * 8;
export const FAILED_RECEIVED_BYTES: u32 = FAILED_ELAPSED_MICROS + POINTS_MAX * 8;
export const MIN_MICROS: u32 = FAILED_RECEIVED_BYTES + POINTS_MAX * 8;
export const MAX_MICROS: u32 = MIN_MICROS + POINTS_MAX * 8;
/** Optional columns, in the order of `OPTIONAL_NAMES`. */
export const OPTIONAL: u32 = MAX_MICROS + POINTS_MAX * 8;
export const OPTIONAL_COLUMNS: u32 = 3;
/** Indexes of the first used bucket of each point: of the source's columns as copied, of those here in `encode`. */
export const BUCKETS_FROM: u32 = OPTIONAL + OPTIONAL_COLUMNS * POINTS_MAX * 8;
export const BUCKET: u32 = BUCKETS_FROM + POINTS_MAX * 4 + 16;
export const BUCKET_COUNT: u32 = BUCKET + ENTRIES_MAX * 2;

/** Columns of values to be written. */
export const VALUES: u32 = BUCKET_COUNT + ENTRIES_MAX * 8;
export const PICKED: u32 = VALUES + POINTS_MAX * 8;
export const PICKED_ELAPSED: u32 = PICKED + POINTS_MAX * 8;
export const PICKED_BYTES: u32 = PICKED_ELAPSED + POINTS_MAX * 8;
/** Points whose distribution is written, in order. */
export const KEPT: u32 = PICKED_BYTES + POINTS_MAX * 8;
/** Number of values of a column by bit length. */
export const OF_LENGTH: u32 = KEPT + POINTS_MAX * 4;

/** First run, point and kept point of each section, and the end after the last. */
export const SECTION_RUN: u32 = OF_LENGTH + 64 * 4;
export const SECTION_POINT: u32 = SECTION_RUN + POINTS_MAX * 4 + 16;
export const SECTION_KEPT: u32 = SECTION_POINT + POINTS_MAX * 4 + 16;
/** Bytes of each section, as columns: in the plain segment, of extremes, of the three streams. */
export const PLAIN_BYTES: u32 = SECTION_KEPT + POINTS_MAX * 4 + 16;
export const EXTREMES_BYTES: u32 = PLAIN_BYTES + POINTS_MAX * 8;
export const STREAM_BYTES: u32 = EXTREMES_BYTES + POINTS_MAX * 8;

/**
 * By bucket, the lowest multiple of the factor, in units of the factor, and the bits of the distance from it; 255: not
 * computed.
 */
export const PLACE_FIRST: u32 = STREAM_BYTES + POINTS_MAX * 8 * 3;
export const PLACE_BITS: u32 = PLACE_FIRST + BUCKETS * 8;

/** By bucket, the number of lower ones that hold a whole millisecond: `bucketsByRank`. */
export const RANKS: u32 = (PLACE_BITS + BUCKETS + 1) & ~1;

/**
 * Output. A value takes less than 24 bytes in a packed column; an entry of a histogram takes less than 4 + 8 bytes; in
 * gaps, low bits at `DISTANCES` and the rest at `COUNTS`, less than 4 + 6.
 */
export const PLAIN: u32 = RANKS + BUCKETS * 2 + 2;
export const PLAIN_SECTIONS: u32 = PLAIN + POINTS_MAX * 24 * 4;
export const DISTRIBUTION: u32 = PLAIN_SECTIONS + POINTS_MAX * 24 * 11;
export const EXTREMES: u32 = DISTRIBUTION + POINTS_MAX * 24 * 4;
export const STREAMS: u32 = EXTREMES + POINTS_MAX * 24 * 2;
export const DISTANCES: u32 = STREAMS + POINTS_MAX * 4 + ENTRIES_MAX * 12;
export const COUNTS: u32 = DISTANCES + ENTRIES_MAX * 4;
/** Gaps of measures, whose sections end before. */
export const GAPS: u32 = COUNTS;

/** Memory size in pages of 64 KiB. */
export const PAGES: u32 = (COUNTS + ENTRIES_MAX * 8 + 65535) / 65536;
