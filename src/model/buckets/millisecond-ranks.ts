/**
 * Numbers of the buckets in which a whole millisecond lies, without the others: of sources that measure milliseconds, these are all
 * that occur. Part of the stored format.
 */

import { bucketsWithMillisecond } from "../histogram.ts";

let buckets: Uint16Array | undefined;

/** The bucket of each number. */
export function bucketsByRank(): Uint16Array {
  buckets ??= Uint16Array.from(
    bucketsWithMillisecond()
      .keys()
      .filter((bucket) => bucketsWithMillisecond()[bucket] === 1),
  );
  return buckets;
}
