/**
 * Below which chance findings count where many were looked for, so that of those that count at most the
 * share `rate` is expected to be false: the step-up procedure of Benjamini and Hochberg [6]. `tests` is
 * how many were looked for, found or not. 0 where none counts.
 */
export function discoveryLimit(chances: readonly number[], tests: number, rate: number): number {
  const ascending = chances.toSorted((left, right) => left - right);
  const limits = ascending.map((_, index) => (rate * (index + 1)) / tests);
  const counted = ascending.findLastIndex((chance, index) => chance <= (limits[index] as number));
  return limits[counted] ?? 0;
}
