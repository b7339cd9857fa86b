/** Exact integer arithmetic: sums beyond 2^53 - 1 are refused, never rounded. */

import { UserError } from "./errors.ts";

/** Most that a sender may count in one row or note: thousands of them can be added. Response times and bytes may be more. */
export const SENT_COUNT_MAX = 2 ** 40 - 1;

/** Adds non-negative integers. Throws `sum-too-large`. */
export function addExactly(left: number, right: number): number {
  const sum = left + right;
  if (sum > Number.MAX_SAFE_INTEGER) {
    throw new UserError("sum-too-large", `${left} + ${right} exceeds 2^53 - 1`);
  }
  return sum;
}

/** Exact sum of integers; may exceed 2^53. */
export function sumOf(column: Float64Array): bigint {
  let [sum, otherSum] = [0, 0];
  const even = column.length & ~1;
  // Two accumulators: an addition waits for the one before.
  for (let index = 0; index < even; index += 2) {
    sum += column[index] as number;
    otherSum += column[index + 1] as number;
  }
  sum += otherSum + (column[even] ?? 0);
  // None is negative: if the total is exact, so was every partial sum.
  return sum <= Number.MAX_SAFE_INTEGER ? BigInt(sum) : sumOfLarge(column);
}

function sumOfLarge(column: Float64Array): bigint {
  let exact = 0n;
  let part = 0;
  for (let index = 0; index < column.length; index++) {
    const value = column[index] as number;
    if (part + value > Number.MAX_SAFE_INTEGER) {
      exact += BigInt(part);
      part = 0;
    }
    part += value;
  }
  return exact + BigInt(part);
}

/** Throws `sum-too-large`. */
export function exactNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new UserError("sum-too-large", `${value} exceeds 2^53 - 1`);
  }
  return Number(value);
}
