/**
 * Numbers of the buckets in which a whole millisecond lies, without the others: of sources that measure milliseconds, these are all
 * that occur. Part of the stored format.
 */

import { HOLDS_MILLISECOND } from "../histogram.ts";

/** By bucket: how many lower ones hold a millisecond. */
export const RANK_OF_BUCKET = new Uint16Array(HOLDS_MILLISECOND.length);
/** The inverse. */
export const BUCKET_OF_RANK = new Uint16Array(HOLDS_MILLISECOND.length);

let ranks = 0;
for (const [bucket, holds] of HOLDS_MILLISECOND.entries()) {
  RANK_OF_BUCKET[bucket] = ranks;
  if (holds === 1) BUCKET_OF_RANK[ranks++] = bucket;
}
