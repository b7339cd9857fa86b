/**
 * The buckets of a latency histogram: log-linear, so that the relative error is bounded everywhere.
 *
 * A value below 128 has a bucket of its own; above that, every power of two is cut into 64 equal
 * buckets. The middle of a bucket is at most 1/128 (0.79 %) away from any value in it. Values are
 * integers from 0 to 2^53 - 1, which makes 3,072 buckets at most. These numbers are part of the
 * stored format (docs/formats/block.md): changing them is a new format version.
 */

const EXACT_BELOW = 128;
const BUCKETS_PER_OCTAVE = 64;
const FIRST_OCTAVE = 7;

/** One more than the highest index that `bucketOf` returns. */
export const BUCKET_COUNT = 128 + (53 - FIRST_OCTAVE) * BUCKETS_PER_OCTAVE;

/** The bucket of `value`, an integer from 0 to 2^53 - 1. */
export function bucketOf(value: number): number {
  if (value < EXACT_BELOW) return value;
  if (value <= 0x7fffffff) {
    const octave = 31 - Math.clz32(value);
    return ((octave - FIRST_OCTAVE) << 6) + 64 + (value >> (octave - 6));
  }
  // 2^31 divides exactly, so the quotient keeps the leading bits that choose the bucket.
  const high = Math.floor(value / 0x80000000);
  const octave = 62 - Math.clz32(high);
  return ((octave - FIRST_OCTAVE) << 6) + 64 + Math.floor(value / 2 ** (octave - 6));
}

/** The smallest value of `bucket`. */
export function bucketFloor(bucket: number): number {
  if (bucket < EXACT_BELOW) return bucket;
  const octave = FIRST_OCTAVE + ((bucket - EXACT_BELOW) >> 6);
  const step = (bucket - EXACT_BELOW) & 63;
  const shift = octave - 6;
  // `2 ** shift` costs ten times as much as a shift, which is right up to 127 << 24.
  return shift <= 24
    ? (BUCKETS_PER_OCTAVE + step) << shift
    : (BUCKETS_PER_OCTAVE + step) * 2 ** shift;
}

/** How many integers fall into `bucket`: 1, or a power of two. */
export function bucketWidth(bucket: number): number {
  if (bucket < EXACT_BELOW) return 1;
  const shift = 1 + ((bucket - EXACT_BELOW) >> 6);
  return shift <= 30 ? 1 << shift : 2 ** shift;
}

/** A distribution of latencies: counts by bucket, with the exact extremes beside them. */
export interface Histogram {
  /** Values recorded; the sum of `counts`. */
  readonly total: number;
  /** Smallest and largest value recorded; `undefined` while there is none. */
  readonly minMicros: number | undefined;
  readonly maxMicros: number | undefined;
  /** Buckets in use, ascending, and how many values each one holds. */
  readonly buckets: readonly number[];
  readonly counts: readonly number[];
}

/**
 * The value at quantile `q` (0 to 1) by nearest rank: the smallest recorded value that at least
 * `q` of all values do not exceed, within 0.79 % of it. 0 and 1 give the exact minimum and maximum,
 * and no answer lies outside them. `undefined` for an empty histogram.
 */
export function quantileMicros(histogram: Histogram, q: number): number | undefined {
  const { minMicros, maxMicros, total } = histogram;
  if (minMicros === undefined || maxMicros === undefined || total === 0) return undefined;
  const rank = rankOf(q, total);
  if (rank === 1) return minMicros;
  if (rank >= total) return maxMicros;
  return valueIn(bucketOfRank(histogram, rank), minMicros, maxMicros);
}

/** The rank, from 1 on, of the value at quantile `q` among `total` values. */
export function rankOf(q: number, total: number): number {
  const wanted = q * total;
  // 0.07 of 100 is 7, though the product of the doubles is a little more.
  const nearest = Math.round(wanted);
  const isWhole = Math.abs(wanted - nearest) <= wanted * 2 ** -50;
  return Math.max(1, isWhole ? nearest : Math.ceil(wanted));
}

/** What stands for a value in `bucket`: its middle, within the extremes. */
export function valueIn(bucket: number, minMicros: number, maxMicros: number): number {
  const middle = bucketFloor(bucket) + Math.floor((bucketWidth(bucket) - 1) / 2);
  return Math.min(maxMicros, Math.max(minMicros, middle));
}

function bucketOfRank(histogram: Histogram, rank: number): number {
  let seen = 0;
  for (const [index, bucket] of histogram.buckets.entries()) {
    seen += histogram.counts[index] ?? 0;
    if (seen >= rank) return bucket;
  }
  throw new Error(`BUG: rank ${rank} of ${histogram.total} lies beyond the counted ${seen}`);
}
