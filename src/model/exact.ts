/** Exact integer arithmetic on numbers: sums beyond 2^53 - 1 are refused, never rounded. */

import { UserError } from "./errors.ts";

/** Adds two non-negative integers. Throws `sum-too-large` where the result would not be exact. */
export function addExactly(left: number, right: number): number {
  const sum = left + right;
  if (sum > Number.MAX_SAFE_INTEGER) {
    throw new UserError("sum-too-large", `${left} + ${right} passes 2^53 - 1`);
  }
  return sum;
}

/** The exact sum of a column of integers, which may pass 2^53 although none of its values does. */
export function sumOf(column: Float64Array): bigint {
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

/** An integer as a number. Throws `sum-too-large` where that would not be exact. */
export function exactNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new UserError("sum-too-large", `${value} passes 2^53 - 1`);
  }
  return Number(value);
}
