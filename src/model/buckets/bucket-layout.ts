/**
 * Buckets of response times: the only definition of the layout, which kernel/ compiles, too, so it uses nothing but doubles. It is part of the stored
 * formats (docs/internals/formats/block.md).
 *
 * Values are whole microseconds from 0 to 2^53 - 1. Each one below 1,000 has its own bucket. Above, buckets end where a number of three digits
 * rounds to the next, so all values of a bucket are the same number in three digits. The numbers of a decade from 100 to 250 have five buckets
 * each, those to 500 two, the others one. So the middle of a bucket is within 0.1 % of any value in it, and every value within 0.2 %
 * of any other.
 */

const EXACT_BELOW: number = 1000;

/** In a decade, the first bucket of the numbers with two, and with one. Of 100 only the half above it is in its decade, from its third bucket on. */
const HALVES_FROM: number = 753;
const WHOLES_FROM: number = HALVES_FROM + 500;
const PER_DECADE: number = WHOLES_FROM + 499;

/** One more than the bucket of 2^53 - 1. */
export const BUCKET_COUNT: number = 23_678;

export function bucketOf(value: number): number {
  if (value < EXACT_BELOW) return Math.floor(value);
  // What the third digit counts.
  let unit: number = 10;
  let first = EXACT_BELOW;
  while (value >= 999.5 * unit) {
    unit *= 10;
    first += PER_DECADE;
  }
  if (value < 250.5 * unit) return first - 2 + Math.floor((value - 99.5 * unit) / (unit / 5));
  if (value < 500.5 * unit)
    return first + HALVES_FROM + Math.floor((value - 250.5 * unit) / (unit / 2));
  return first + WHOLES_FROM + Math.floor((value - 500.5 * unit) / unit);
}

/** Returns the smallest value of `bucket`; of one more than the highest, a value above all. */
export function bucketFloor(bucket: number): number {
  if (bucket < EXACT_BELOW) return bucket;
  let unit: number = 10;
  let place = bucket - EXACT_BELOW;
  while (place >= PER_DECADE) {
    unit *= 10;
    place -= PER_DECADE;
  }
  if (place === 0) return Math.ceil(999.5 * (unit / 10));
  if (place < HALVES_FROM) return 99.5 * unit + (place + 2) * (unit / 5);
  if (place < WHOLES_FROM) return 250.5 * unit + (place - HALVES_FROM) * (unit / 2);
  return 500.5 * unit + (place - WHOLES_FROM) * unit;
}

/** Returns how many integers fall into `bucket`. */
export function bucketWidth(bucket: number): number {
  return bucketFloor(bucket + 1) - bucketFloor(bucket);
}
