/** Histograms of a few values, and their quantiles computed one at a time. */

import { rankOf, valueIn } from "../../src/model/histogram.ts";

/** A distribution of latencies: counts by bucket, and the exact minimum and maximum. */
export interface Histogram {
  /** Values recorded; the sum of `counts`. */
  readonly total: number;
  /** Smallest and largest recorded value; `undefined` if there is none. */
  readonly minMicros: number | undefined;
  readonly maxMicros: number | undefined;
  /** Non-empty buckets, ascending, and the number of values in each. */
  readonly buckets: readonly number[];
  readonly counts: readonly number[];
}

/**
 * The value at quantile `q` (0 to 1) by nearest rank: the smallest recorded value that is at least as large
 * as the share `q` of all values, within 0.1 %. 0 and 1 return the exact minimum and maximum; no result lies
 * outside them. `undefined` for an empty histogram.
 */
export function quantileMicros(histogram: Histogram, q: number): number | undefined {
  const { minMicros, maxMicros, total } = histogram;
  if (minMicros === undefined || maxMicros === undefined || total === 0) return undefined;
  const rank = rankOf(q, total);
  if (rank === 1) return minMicros;
  if (rank >= total) return maxMicros;
  return valueIn(bucketOfRank(histogram, rank), { minMicros, maxMicros, isWholeMillis: false });
}

function bucketOfRank(histogram: Histogram, rank: number): number {
  let seen = 0;
  for (const [index, bucket] of histogram.buckets.entries()) {
    seen += histogram.counts[index] ?? 0;
    if (seen >= rank) return bucket;
  }
  throw new Error(`BUG: rank ${rank} of ${histogram.total} lies beyond the counted ${seen}`);
}
