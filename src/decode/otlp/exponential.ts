import type { ExponentialBuckets } from "./metric-points.ts";

/** At this scale the middle of a bucket is within 1.1 % of its values; coarser ones give no percentiles. */
const SCALE_MIN = 5;

/** Beyond, the powers are not numbers. */
const SCALE_MAX = 20;

/**
 * Middles of the buckets with their counts, ascending in no order; empty if they are too coarse for percentiles, or
 * do not hold `count` values.
 */
export function entriesOf(
  buckets: ExponentialBuckets | undefined,
  count: number,
): readonly (readonly [value: number, count: number])[] {
  if (buckets === undefined || buckets.scale < SCALE_MIN || buckets.scale > SCALE_MAX) return [];
  const { scale, zeroCount, positive, negative } = buckets;
  const middle = (index: number): number => 2 ** ((index + 0.5) / 2 ** scale);
  const entries = [
    ...(zeroCount > 0 ? [[0, zeroCount] as const] : []),
    ...Array.from(positive, ([index, times]) => [middle(index), times] as const),
    ...Array.from(negative, ([index, times]) => [-middle(index), times] as const),
  ];
  const isWhole =
    entries.every(([, times]) => times > 0) &&
    entries.reduce((sum, [, times]) => sum + times, 0) === count;
  return isWhole ? entries : [];
}
