/** The smallest of `values` that is at least as large as `percent` % of them. */
export function exactPercentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const found = sorted.find((_, index) => (index + 1) * 100 >= percent * sorted.length);
  return found ?? Number.NaN;
}
