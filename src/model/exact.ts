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
