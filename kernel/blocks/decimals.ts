import { PICKED, PICKED_BYTES, PLAIN_BYTES, STREAM_BYTES, VALUES } from "./layout";
import { rounded, writePacked, writePredicted } from "./packed";
import { byte, varint } from "./writer";

/** Writes the same bytes as `measures-segment.ts` of src/store/block. */

const PLACES: u32 = 15;
const PREDICTED: u32 = 0;
const AS_IT_IS: u32 = 1;
const SPLIT: u32 = 2;
const HALF_OF_SAFE: f64 = 4503599627370495.5;
const SAFE: f64 = 9007199254740991;
const MILLION: f64 = 1e6;
const NANOS: f64 = 1e9;
const NANOS_PER_MILLION: f64 = 1e15;

/** Columns of values as decimals, and of their counts, all 1. */
const VALUE_MILLIONS = PICKED_BYTES;
const VALUE_NANOS = PLAIN_BYTES;
const ONES = STREAM_BYTES;

/** Writes `count` sums, predicted from `counts`. */
export function writeDecimals(millions: u32, nanos: u32, counts: u32, count: u32): void {
  if (count == 0) return;
  let zeros = PLACES;
  let divisor: u64 = 1000000000000000;
  const bytes = count << 3;
  for (let row: u32 = 0; row < bytes && zeros > 0; row += 8) {
    const value = <u64>(<i64>load<f64>(nanos + row));
    while (value % divisor != 0) {
      zeros -= 1;
      divisor /= 10;
    }
  }
  const unit = <f64>divisor;
  const form = place(millions, nanos, bytes, unit);
  byte(form);
  byte(zeros);
  if (form == PREDICTED) writePredicted(PICKED, counts, count);
  else writePacked(form == SPLIT ? millions : PICKED, count);
  if (form != SPLIT) return;
  for (let row: u32 = 0; row < bytes; row += 8) {
    store<f64>(VALUES + row, load<f64>(nanos + row) / unit);
  }
  writePacked(VALUES, count);
}

/** Stores sums at `PICKED` in multiples of `unit` billionths. Returns the form in which they are exact. */
function place(millions: u32, nanos: u32, bytes: u32, unit: f64): u32 {
  const perMillion = NANOS_PER_MILLION / unit;
  let least: f64 = Infinity;
  let most: f64 = -Infinity;
  for (let row: u32 = 0; row < bytes; row += 8) {
    const whole = load<f64>(millions + row) * perMillion;
    if (!(abs(whole) < HALF_OF_SAFE)) return SPLIT;
    const value = whole + load<f64>(nanos + row) / unit;
    store<f64>(PICKED + row, value);
    least = min(least, value);
    most = max(most, value);
  }
  if (most - least > HALF_OF_SAFE) return SPLIT;
  return least >= 0 ? PREDICTED : AS_IT_IS;
}

/** Writes `count` values, each exact as a decimal or infinite. */
export function writeValues(values: u32, count: u32): void {
  let unknown: u32 = 0;
  let known: u32 = 0;
  let next: u32 = 0;
  for (let row: u32 = 0; row < count; row++) {
    const value = load<f64>(values + (row << 3));
    if (abs(value) == Infinity) {
      store<f64>(VALUES + (unknown << 3), <f64>(row - next));
      unknown += 1;
      next = row + 1;
    } else {
      placeDecimal(known << 3, value);
      known += 1;
    }
  }
  varint(unknown);
  writePacked(VALUES, unknown);
  writeDecimals(VALUE_MILLIONS, VALUE_NANOS, ONES, known);
}

/** Stores a value as `addValue` and `nanosOf` of decimal-sum.ts do. */
function placeDecimal(row: u32, value: f64): void {
  let millions = trunc(value / MILLION);
  const rest = value - millions * MILLION;
  const whole = trunc(rest);
  let nanos = whole * NANOS + rounded((rest - whole) * NANOS);
  if (nanos >= NANOS_PER_MILLION) {
    nanos -= NANOS_PER_MILLION;
    millions += 1;
  } else if (nanos < 0) {
    nanos += NANOS_PER_MILLION;
    millions -= 1;
  }
  store<f64>(VALUE_MILLIONS + row, millions);
  store<f64>(VALUE_NANOS + row, nanos);
  store<f64>(ONES + row, 1);
}

/** Same as `decimalOf` of decimal-sum.ts. */
export function decimalOf(millions: f64, nanos: f64): f64 {
  const total = millions * NANOS_PER_MILLION + nanos;
  if (abs(total) <= SAFE) return total / NANOS;
  let sum = millions;
  let rest = nanos;
  if (sum < 0) {
    // Relative to the next million, the nanos are small.
    sum += 1;
    rest -= NANOS_PER_MILLION;
  }
  const whole = trunc(rest / NANOS);
  return sum * MILLION + whole + (rest - whole * NANOS) / NANOS;
}
