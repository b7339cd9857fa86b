import type { DistributionColumns } from "./data-points.ts";

/** `none`: no request has a response time. `unknown`: the source does not record the extremes. */
export const EXTREMES = ["known", "none", "unknown"] as const;

/** Encodings of minimum and maximum for each state; merging preserves them. */
export const BOUNDS = {
  none: { min: Infinity, max: -Infinity },
  unknown: { min: -Infinity, max: Infinity },
} as const;

/**
 * Buckets of a latency histogram: log-linear, so that the relative error is bounded. Each value below 128 has
 * its own bucket; above, every power of two is split into 64 equal buckets. The middle of a bucket is within
 * 1/128 (0.79 %) of any value in it. Values are integers from 0 to 2^53 - 1, so there are at most 3,072
 * buckets. These numbers are part of the stored format (docs/internals/formats/block.md): changing them
 * requires a new format version.
 */

const EXACT_BELOW = 128;
const BUCKETS_PER_OCTAVE = 64;
const FIRST_OCTAVE = 7;

/** One more than the highest index that `bucketOf` returns. */
export const BUCKET_COUNT = 128 + (53 - FIRST_OCTAVE) * BUCKETS_PER_OCTAVE;

/** Returns the bucket of `value`, an integer from 0 to 2^53 - 1. */
export function bucketOf(value: number): number {
  if (value < EXACT_BELOW) return value;
  if (value <= 0x7fffffff) {
    const octave = 31 - Math.clz32(value);
    return ((octave - FIRST_OCTAVE) << 6) + 64 + (value >> (octave - 6));
  }
  // Dividing by 2^31 is exact, so the quotient keeps the leading bits that determine the bucket.
  const high = Math.floor(value / 0x80000000);
  const octave = 62 - Math.clz32(high);
  return ((octave - FIRST_OCTAVE) << 6) + 64 + Math.floor(value / 2 ** (octave - 6));
}

/** Returns the smallest value of `bucket`. */
export function bucketFloor(bucket: number): number {
  if (bucket < EXACT_BELOW) return bucket;
  const octave = FIRST_OCTAVE + ((bucket - EXACT_BELOW) >> 6);
  const step = (bucket - EXACT_BELOW) & 63;
  const shift = octave - 6;
  // `2 ** shift` costs ten times as much as a shift, which is exact up to 127 << 24.
  return shift <= 24
    ? (BUCKETS_PER_OCTAVE + step) << shift
    : (BUCKETS_PER_OCTAVE + step) * 2 ** shift;
}

/** Returns how many integers fall into `bucket`: 1, or a power of two. */
export function bucketWidth(bucket: number): number {
  if (bucket < EXACT_BELOW) return 1;
  const shift = 1 + ((bucket - EXACT_BELOW) >> 6);
  return shift <= 30 ? 1 << shift : 2 ** shift;
}

/** Returns the middle between the smallest and the largest value of `bucket`. */
export function bucketMiddle(bucket: number): number {
  return bucketFloor(bucket) + (bucketWidth(bucket) - 1) / 2;
}

/** Returns the rank (from 1) of quantile `q` among `total` values. */
export function rankOf(q: number, total: number): number {
  const wanted = q * total;
  // The product of doubles is slightly too large for 0.07 of 100.
  const nearest = Math.round(wanted);
  const isWhole = Math.abs(wanted - nearest) <= wanted * 2 ** -50;
  return Math.max(1, isWhole ? nearest : Math.ceil(wanted));
}

/** The value of a `bucket`: its middle within the extremes, or its only millisecond if all values are whole ones. */
export function valueIn(
  bucket: number,
  { minMicros, maxMicros, isWholeMillis }: ExactTimes,
): number {
  const middle = bucketFloor(bucket) + Math.floor((bucketWidth(bucket) - 1) / 2);
  const value = (isWholeMillis ? onlyMillisecondIn(bucket) : undefined) ?? middle;
  return Math.min(maxMicros, Math.max(minMicros, value));
}

/** Returns the exact values that a quantile reported as `micros` can have: one bucket, or `micros` alone. */
export function possibleMicros(micros: number): { readonly least: number; readonly most: number } {
  const bucket = bucketOf(micros);
  // A middle is never a whole millisecond, so this one is exact.
  if (onlyMillisecondIn(bucket) === micros) return { least: micros, most: micros };
  const floor = bucketFloor(bucket);
  return { least: floor, most: floor + bucketWidth(bucket) - 1 };
}

/** Exactly known properties of the values of a histogram. */
export interface ExactTimes {
  readonly minMicros: number;
  readonly maxMicros: number;
  readonly isWholeMillis: boolean;
}

/** Whether times are whole milliseconds, by sums and extremes, which do not depend on how they were grouped. */
export function areWholeMillis(...sumsAndExtremes: readonly number[]): boolean {
  return sumsAndExtremes.every((micros) => micros % MICROS_PER_MILLI === 0);
}

const MICROS_PER_MILLI = 1000;

/** In microseconds; `undefined` unless exactly one whole millisecond lies in `bucket`. */
function onlyMillisecondIn(bucket: number): number | undefined {
  const [floor, width] = [bucketFloor(bucket), bucketWidth(bucket)];
  const first = Math.ceil(floor / MICROS_PER_MILLI) * MICROS_PER_MILLI;
  const isOnly = first < floor + width && first + MICROS_PER_MILLI >= floor + width;
  return isOnly ? first : undefined;
}

/** Minimum and maximum of points without response times, or whose source does not record them. */
type ExtremesState = (typeof EXTREMES)[number];

type Extremes = Pick<DistributionColumns, "minMicros" | "maxMicros">;

export function extremesState({ minMicros }: Extremes, point: number): ExtremesState {
  const min = minMicros[point] as number;
  if (Number.isFinite(min)) return "known";
  return min === BOUNDS.none.min ? "none" : "unknown";
}
