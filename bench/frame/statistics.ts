/** The middle one, or the mean of the two in the middle. Throws for none. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) throw new Error("BUG: no median of no values");
  return (low + high) / 2;
}

/** By nearest rank: the smallest value that at least `share` of all do not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * values.length));
  const value = ascending(values)[rank - 1];
  if (value === undefined) throw new Error("BUG: no quantile of no values");
  return value;
}

function ascending(values: readonly number[]): readonly number[] {
  return values.toSorted((left, right) => left - right);
}
