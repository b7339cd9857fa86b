import { BATCH_ROWS, MEASURED } from "./layout";
import { OPENS, PLACES, PLACE_MINUTES, SUM_BYTES, SUM_CELLS, SUMS, WHOLE } from "./layout";

/** Within the sums of a load test, of which two minutes are open: */
const WHOLE_MIN: u32 = 16;
const WHOLE_MAX: u32 = 32;
const WHOLE_SECONDS: u32 = 48;
const WHOLE_BUCKETS: u32 = WHOLE_SECONDS + 120 * 16;
/** Of values that are not negative: see value-buckets.ts. */
const BUCKETS: u32 = 83 * 64 + 1;
const LEAST_STEP: u64 = (1023 - 30) * 64;
/** Seconds from here on are not of the load test. */
const NOT_WHOLE: u32 = 128;

/** Sums up a measure of rows `[from, to)`, zeros `times` times, up to a row whose minute is not open. Returns that row, or `to`. */
export function sumUp(measure: u32, from: u32, to: u32, times: f64): u32 {
  const sums = SUMS + measure * SUM_BYTES;
  const values = MEASURED + measure * (BATCH_ROWS * 4);
  const whole = sums + WHOLE;
  for (let row = from; row < to; row++) {
    const value = load<i32>(values + (row << 2));
    if (value < 0) continue;
    const place = load<u32>(PLACES + (row << 2));
    const minute = load<u32>(PLACE_MINUTES + (row << 2));
    const open = load<u32>(OPENS + (row << 2));
    const odd = place & 1;
    if (load<u32>(sums + (place << 2)) != minute) return row;
    const isWhole = open < NOT_WHOLE;
    if (isWhole && load<u32>(whole + (odd << 2)) != minute) return row;
    const added = <f64>value;
    add(sums + SUM_CELLS + (place << 5), times, added);
    const cell = sums + SUM_CELLS + (place << 5) + 16;
    store<f64>(cell, min(load<f64>(cell), added));
    store<f64>(cell, max(load<f64>(cell, 8), added), 8);
    if (!isWhole) continue;
    add(whole + WHOLE_SECONDS + (open << 4), times, added);
    const extremes = whole + (odd << 3);
    store<f64>(extremes, min(load<f64>(extremes, WHOLE_MIN), added), WHOLE_MIN);
    store<f64>(extremes, max(load<f64>(extremes, WHOLE_MAX), added), WHOLE_MAX);
    const step = value == 0 ? 0 : <u32>((reinterpret<u64>(added) >> 46) - LEAST_STEP + 1);
    const bucket = whole + WHOLE_BUCKETS + ((odd * BUCKETS + step) << 2);
    store<u32>(bucket, load<u32>(bucket) + <u32>times);
  }
  return to;
}

function add(to: u32, count: f64, sum: f64): void {
  store<f64>(to, load<f64>(to) + count);
  store<f64>(to, load<f64>(to, 8) + sum, 8);
}
