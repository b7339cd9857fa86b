/**
 * Buckets of values of any sign and size. Each power of two from 2^-30 to 2^53 is split into 64 equal buckets, so that the
 * middle of a bucket is within 1/128 (0.79 %) of any value in it; smaller values, with 0, have one bucket. These numbers are part of
 * the stored format.
 */

const LEAST_OCTAVE = -30;
const OCTAVES = 53 - LEAST_OCTAVE;
const PER_OCTAVE = 64;

/** Bucket of 0: those of negative values are below, of positive ones above. */
export const ZERO_BUCKET = OCTAVES * PER_OCTAVE;

/** One more than the highest bucket. */
export const VALUE_BUCKETS = 2 * ZERO_BUCKET + 1;

const EXPONENT_BIAS = 1023;
/** Below the sign, the upper half of a double has 11 bits of exponent and 20 of the fraction. */
const UPPER_FRACTION_BITS = 20;
const PER_OCTAVE_BITS = 6;
const LEAST_STEP = (EXPONENT_BIAS + LEAST_OCTAVE) * PER_OCTAVE;

const DOUBLE = new Float64Array(1);
const HALVES = new Uint32Array(DOUBLE.buffer);
const UPPER = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** Returns the bucket of `value`, whose absolute value is at most 2^53 - 1. Greater values have no lower bucket. */
export function valueBucketOf(value: number): number {
  DOUBLE[0] = value;
  const upper = HALVES[UPPER] as number;
  const step = (upper & 0x7fffffff) >>> (UPPER_FRACTION_BITS - PER_OCTAVE_BITS);
  if (step < LEAST_STEP) return ZERO_BUCKET;
  const distance = step - LEAST_STEP + 1;
  return upper >>> 31 === 0 ? ZERO_BUCKET + distance : ZERO_BUCKET - distance;
}

export function valueBucketMiddle(bucket: number): number {
  if (bucket === ZERO_BUCKET) return 0;
  const distance = Math.abs(bucket - ZERO_BUCKET) - 1;
  const octave = LEAST_OCTAVE + Math.floor(distance / PER_OCTAVE);
  const middle = (1 + ((distance % PER_OCTAVE) + 0.5) / PER_OCTAVE) * 2 ** octave;
  return bucket > ZERO_BUCKET ? middle : -middle;
}

/** Returns the values that share a bucket with `value`: from the least on, and below the greatest. */
export function possibleValuesOf(value: number): { readonly least: number; readonly most: number } {
  const bucket = valueBucketOf(value);
  if (bucket === ZERO_BUCKET) return { least: -(2 ** LEAST_OCTAVE), most: 2 ** LEAST_OCTAVE };
  const middle = valueBucketMiddle(bucket);
  const half = 2 ** Math.floor(Math.log2(Math.abs(middle))) / PER_OCTAVE / 2;
  return { least: middle - half, most: middle + half };
}
