/**
 * Exact sums of decimals: millions * 10^6 + nanos / 10^9, two integers with 0 <= nanos < 10^15. Their addition is exact,
 * associative and commutative. A value counts as its nearest multiple of 10^-9.
 */

import { UserError } from "../errors.ts";

const MILLION = 1e6;
const NANOS = 1e9;
const NANOS_PER_MILLION = MILLION * NANOS;

/** Sums by row. */
export interface DecimalSums {
  readonly sumMillions: Float64Array;
  readonly sumNanos: Float64Array;
}

/** Adds `value` to a row; its absolute value is at most 2^53 - 1. Throws `sum-too-large`. */
export function addValue(sums: DecimalSums, row: number, value: number): void {
  const millions = Math.floor(value / MILLION);
  addDecimal(sums, row, millions, Math.round((value - millions * MILLION) * NANOS));
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
    // The quotient of a value was rounded up to the next integer.
    rest += NANOS_PER_MILLION;
    sum -= 1;
  }
  if (!Number.isSafeInteger(sum)) {
    throw new UserError("sum-too-large", `${sum} millions exceed 2^53 - 1`);
  }
  sumMillions[row] = sum;
  sumNanos[row] = rest;
}
