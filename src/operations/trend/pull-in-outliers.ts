/** So many values before and after one are its neighbours. */
const REACH = 3;

/** Noise reaches three times as far as this share of the values lies from the middle of its neighbours. */
const SHARE = 0.9;
const REACHES = 3;

/**
 * The same values, those that lie far from their neighbours pulled in to where noise reaches: a load
 * test that went wrong would make all noise look large, and hide every change. What lasts for four load
 * tests or more stays as it is.
 */
export function pullInOutliers(values: Float64Array, varianceMin: number): Float64Array {
  const middles = values.map((_, index) =>
    medianOf(values.slice(Math.max(0, index - REACH), index + REACH + 1)),
  );
  const distances = values.map((value, index) => Math.abs(value - (middles[index] as number)));
  const usual = distances.toSorted()[Math.ceil(SHARE * values.length) - 1] ?? 0;
  const reach = REACHES * Math.max(usual, 2 * Math.sqrt(varianceMin));
  return values.map((value, index) => {
    const middle = middles[index] as number;
    return Math.min(middle + reach, Math.max(middle - reach, value));
  });
}

/** 0 where there is no value. */
function medianOf(values: Float64Array): number {
  const sorted = values.toSorted();
  const middle = sorted.length / 2;
  const lower = sorted[Math.ceil(middle) - 1] ?? 0;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return (lower + upper) / 2;
}
