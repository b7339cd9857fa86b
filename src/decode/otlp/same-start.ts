/** Starts that differ by less are one, read from an inexact clock. */
const SAME_START_NANOS = 2_000_000n;

/** Whether two starts are of the same process. */
export function isSameStart(left: bigint, right: bigint): boolean {
  const apart = left < right ? right - left : left - right;
  return apart < SAME_START_NANOS;
}
