/**
 * Numbers of the buckets in which a whole millisecond lies, without the others: of sources that measure milliseconds, these are all
 * that occur. Part of the stored format.
 */

import { bucketsWithMillisecond } from "../histogram.ts";

interface Ranks {
  /** By bucket: how many lower ones hold a millisecond. */
  readonly ofBucket: Uint16Array;
  /** The inverse. */
  readonly toBucket: Uint16Array;
}

let ranks: Ranks | undefined;

export function millisecondRanks(): Ranks {
  ranks ??= countRanks(bucketsWithMillisecond());
  return ranks;
}

function countRanks(holds: Uint8Array): Ranks {
  const ofBucket = new Uint16Array(holds.length);
  const toBucket = new Uint16Array(holds.length);
  let count = 0;
  for (let bucket = 0; bucket < holds.length; bucket++) {
    ofBucket[bucket] = count;
    if (holds[bucket] === 1) toBucket[count++] = bucket;
  }
  return { ofBucket, toBucket };
}
