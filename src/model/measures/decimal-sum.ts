/**
 * Exact sums of decimals: millions * 10^6 + nanos / 10^9, two integers with 0 <= nanos < 10^15. Their addition is exact,
 * associative and commutative. A value counts as its nearest multiple of 10^-9.
 */

import { UserError } from "../errors.ts";

const MILLION = 1e6;
const NANOS = 1e9;
const NANOS_PER_MILLION = MILLION * NANOS;

export interface DecimalSums {
  readonly sumMillions: Float64Array;
  readonly sumNanos: Float64Array;
}

/** Adds `value` to a row; its absolute value is at most 2^53 - 1. Throws `sum-too-large`. */
export function addValue(sums: DecimalSums, row: number, value: number): void {
  const millions = Math.trunc(value / MILLION);
  addDecimal(sums, row, millions, nanosOf(value - millions * MILLION));
}

/** Returns a value whose absolute value is below 10^6 in multiples of 10^-9, rounded. */
export function nanosOf(value: number): number {
  // The product of the fraction alone is exact enough to round to the nearest.
  const whole = Math.trunc(value);
  return whole * NANOS + Math.round((value - whole) * NANOS);
}

export function decimalOf({ sumMillions, sumNanos }: DecimalSums, row: number): number {
  let [millions, nanos] = [sumMillions[row] as number, sumNanos[row] as number];
  const total = millions * NANOS_PER_MILLION + nanos;
  if (Math.abs(total) <= Number.MAX_SAFE_INTEGER) return total / NANOS;
  if (millions < 0) {
    // Taken off the next million, the nanos are few.
    millions += 1;
    nanos -= NANOS_PER_MILLION;
  }
  // The integer part is exact, so that only the last addition rounds.
  const whole = Math.trunc(nanos / NANOS);
  return millions * MILLION + whole + (nanos - whole * NANOS) / NANOS;
}

const ONE_ROW = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };

/** The number nearest to the multiple of 10^-9 that `value` counts as; at most 2^53 - 1 in size. Idempotent. */
export function asDecimal(value: number): number {
  ONE_ROW.sumMillions[0] = 0;
  ONE_ROW.sumNanos[0] = 0;
  addValue(ONE_ROW, 0, value);
  return decimalOf(ONE_ROW, 0);
}

/** Adds a sum to a row. Throws `sum-too-large`. */
export function addDecimal(
  { sumMillions, sumNanos }: DecimalSums,
  row: number,
  millions: number,
  nanos: number,
): void {
  let sum = (sumMillions[row] as number) + millions;
  let rest = (sumNanos[row] as number) + nanos;
  if (rest >= NANOS_PER_MILLION) {
    rest -= NANOS_PER_MILLION;
    sum += 1;
  } else if (rest < 0) {
    rest += NANOS_PER_MILLION;
    sum -= 1;
  }
  if (!Number.isSafeInteger(sum)) {
    throw new UserError("sum-too-large", `${sum} millions exceed 2^53 - 1`);
  }
  sumMillions[row] = sum;
  sumNanos[row] = rest;
}
