/**
 * Sums of one measure of a load test in two open minutes: count and sum per second, extremes and distribution per minute.
 * No value is negative. `whole` is the position of the sums; `odd` is 1 for an odd minute, else 0.
 * `src/decode/measures/whole-sums.ts` closes minutes.
 */

/** Offsets; everything is stored for the even minute, then for the odd one. At 0: the UNIX seconds at which they begin. */
const MIN: u32 = 16;
const MAX: u32 = 32;
/** Count and sum of each second. */
const SECONDS: u32 = 48;
const BUCKETS_FROM: u32 = SECONDS + 120 * 16;
/** Buckets of values that are not negative: see value-buckets.ts. */
const BUCKETS: u32 = 83 * 64 + 1;
const LEAST_STEP: u32 = (1023 - 30) * 64;

export const WHOLE_BYTES: u32 = 48 * 1024;

export function isMinute(whole: u32, odd: u32, minute: u32): bool {
  return load<u32>(whole + (odd << 2)) == minute;
}

/** Reports whether the minute has no values. */
export function isEmpty(whole: u32, odd: u32): bool {
  const extremes = whole + (odd << 3);
  return load<f64>(extremes, MIN) > load<f64>(extremes, MAX);
}

export function openMinute(whole: u32, odd: u32, minute: u32): void {
  store<u32>(whole + (odd << 2), minute);
}

/** Adds to the count at `to` and to the sum after it. */
export function addPair(to: u32, count: f64, sum: f64): void {
  const added = f64x2.replace_lane(f64x2.splat(count), 1, sum);
  v128.store(to, f64x2.add(v128.load(to), added));
}

/** Bytes of closed sums: place, UNIX second, count, sum, minimum, maximum. */
export const CLOSED_BYTES: u32 = 48;

/** Writes closed sums to `to`. `pair`: the position of count and sum. */
export function writeClosed(
  to: u32,
  place: u32,
  time: u32,
  pair: u32,
  least: f64,
  most: f64,
): void {
  store<f64>(to, <f64>place);
  store<f64>(to, <f64>time, 8);
  v128.store(to, v128.load(pair), 16);
  store<f64>(to, least, 32);
  store<f64>(to, most, 40);
}

/** Stores extremes only if they change: a store to the same position delays the next value. */
export function widen(least: u32, most: u32, value: f64): void {
  if (value < load<f64>(least)) store<f64>(least, value);
  if (value > load<f64>(most)) store<f64>(most, value);
}

/** Returns the position of count and sum of a second: the UNIX second modulo 120. */
export function secondAt(whole: u32, second: u32): u32 {
  return whole + SECONDS + (second << 4);
}

/** Counts `value` `times` times in a second (UNIX second modulo 120), and adds `amount` to its sum. */
export function addWhole(whole: u32, second: u32, times: f64, value: f64, amount: f64): void {
  const odd = <u32>(second >= 60);
  addPair(secondAt(whole, second), times, amount);
  const extremes = whole + (odd << 3);
  widen(extremes + MIN, extremes + MAX, value);
  const step = <u32>(reinterpret<u64>(value) >> 46);
  const place = step < LEAST_STEP ? 0 : step - LEAST_STEP + 1;
  const bucket = whole + BUCKETS_FROM + ((odd * BUCKETS + place) << 2);
  store<u32>(bucket, load<u32>(bucket) + <u32>times);
}
