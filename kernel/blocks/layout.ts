/**
 * What lies where in the memory of the block encoder. Nothing in it ever moves or grows; pages that are
 * not used take no memory. All positions are in bytes.
 */

/**
 * Points of a block: `BLOCK_ROWS_MAX`, and the seconds of a minute of measures. Blocks with more, or with more used buckets, are encoded in
 * TypeScript.
 */
export const POINTS_MAX: u32 = 16 * 1024 + 64;
export const ENTRIES_MAX: u32 = 512 * 1024;
/** One more than the highest bucket: `BUCKET_COUNT`. */
export const BUCKETS: u32 = 3072;

/** Of each run: its endpoint, its points and their used buckets. */
export const RUN_ENDPOINT: u32 = 4096;
export const RUN_POINTS: u32 = RUN_ENDPOINT + POINTS_MAX * 4;
export const RUN_ENTRIES: u32 = RUN_POINTS + POINTS_MAX * 4;

/** The columns of the points, run after run. */
export const SECOND: u32 = RUN_ENTRIES + POINTS_MAX * 4;
export const REQUESTS: u32 = SECOND + POINTS_MAX * 4;
export const ELAPSED_MICROS: u32 = REQUESTS + POINTS_MAX * 8;
export const RECEIVED_BYTES: u32 = ELAPSED_MICROS + POINTS_MAX * 8;
export const FAILED_REQUESTS: u32 = RECEIVED_BYTES + POINTS_MAX * 8;
export const FAILED_ELAPSED_MICROS: u32 = FAILED_REQUESTS + POINTS_MAX * 8;
export const FAILED_RECEIVED_BYTES: u32 = FAILED_ELAPSED_MICROS + POINTS_MAX * 8;
export const MIN_MICROS: u32 = FAILED_RECEIVED_BYTES + POINTS_MAX * 8;
export const MAX_MICROS: u32 = MIN_MICROS + POINTS_MAX * 8;
/** As given: within the columns from which the run was copied; then within those here. */
export const BUCKETS_FROM: u32 = MAX_MICROS + POINTS_MAX * 8;
export const BUCKET: u32 = BUCKETS_FROM + POINTS_MAX * 4 + 16;
export const BUCKET_COUNT: u32 = BUCKET + ENTRIES_MAX * 2;

/** Columns that are about to be written. */
export const VALUES: u32 = BUCKET_COUNT + ENTRIES_MAX * 8;
export const PICKED: u32 = VALUES + POINTS_MAX * 8;
export const PICKED_ELAPSED: u32 = PICKED + POINTS_MAX * 8;
export const PICKED_BYTES: u32 = PICKED_ELAPSED + POINTS_MAX * 8;
/** The points whose distribution is written, in order. */
export const KEPT: u32 = PICKED_BYTES + POINTS_MAX * 8;
/** How many values of a column have each number of bits. */
export const OF_LENGTH: u32 = KEPT + POINTS_MAX * 4;

/** Of each section: its first run, point and kept point, and those of the end behind the last. */
export const SECTION_RUN: u32 = OF_LENGTH + 64 * 4;
export const SECTION_POINT: u32 = SECTION_RUN + POINTS_MAX * 4 + 16;
export const SECTION_KEPT: u32 = SECTION_POINT + POINTS_MAX * 4 + 16;
/** Bytes that each section takes, as columns: in the plain segment, of extremes, of the three streams. */
export const PLAIN_BYTES: u32 = SECTION_KEPT + POINTS_MAX * 4 + 16;
export const EXTREMES_BYTES: u32 = PLAIN_BYTES + POINTS_MAX * 8;
export const STREAM_BYTES: u32 = EXTREMES_BYTES + POINTS_MAX * 8;

/** The first multiple of a factor in each bucket, and how many bits tell the others; 255: not computed. */
export const PLACE_FIRST: u32 = STREAM_BYTES + POINTS_MAX * 8 * 3;
export const PLACE_BITS: u32 = PLACE_FIRST + BUCKETS * 8;

/**
 * What was written. A value takes less than 24 bytes in a packed column; of the histograms an entry takes
 * less than 4 + 8 bytes, and less than 6 in gaps.
 */
export const PLAIN: u32 = PLACE_BITS + BUCKETS;
export const PLAIN_SECTIONS: u32 = PLAIN + POINTS_MAX * 24 * 4;
export const DISTRIBUTION: u32 = PLAIN_SECTIONS + POINTS_MAX * 24 * 8;
export const EXTREMES: u32 = DISTRIBUTION + POINTS_MAX * 24 * 4;
export const STREAMS: u32 = EXTREMES + POINTS_MAX * 24 * 2;
export const DISTANCES: u32 = STREAMS + POINTS_MAX * 4 + ENTRIES_MAX * 12;
export const COUNTS: u32 = DISTANCES + ENTRIES_MAX * 4;
/** Of measures; their sections end before. */
export const GAPS: u32 = COUNTS;

/** Pages of 64 KiB. */
export const PAGES: u32 = (COUNTS + ENTRIES_MAX * 8 + 65535) / 65536;
