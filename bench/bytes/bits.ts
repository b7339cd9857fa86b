/** How many bits values take at least, under simple models of them. */

/** Each value by how often it occurs among all of them (order 0). */
export function orderZeroBits(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / values.length);
  return bits;
}

/**
 * Sums of `counts` values each, as Gaussians around their counts times the mean, with the variance
 * growing with the count; in steps of `quantum`. Mean and variance cost half of log2 of the number each.
 */
export function gaussianSumBits(sums: readonly number[], counts: readonly number[]): number {
  const quantum = sums.reduce(greatestCommonDivisor, 0);
  if (quantum === 0) return 0;
  const mean = total(sums) / total(counts);
  const deviations = sums.map((sum, index) => {
    const count = counts[index] as number;
    return (sum - count * mean) ** 2 / count;
  });
  const variance = total(deviations) / sums.length / quantum ** 2;
  let bits = Math.log2(sums.length);
  for (const count of counts) {
    bits += Math.max(0, 0.5 * Math.log2(2 * Math.PI * Math.E * variance * count));
  }
  return bits;
}

/** Values as log-normal ones, in steps of what divides all of them. */
export function logNormalBits(values: readonly number[]): number {
  const quantum = values.reduce(greatestCommonDivisor, 0);
  if (values.length === 0 || quantum === 0) return 0;
  const logarithms = values.map((value) => Math.log(Math.max(value, quantum)));
  const mean = total(logarithms) / values.length;
  const variance = total(logarithms.map((each) => (each - mean) ** 2)) / values.length;
  const width = 0.5 * Math.log2(2 * Math.PI * Math.E * variance);
  let bits = Math.log2(values.length);
  for (const value of values) bits += Math.max(0, width + Math.log2(value / quantum));
  return bits;
}

/** Which ones of `of` places are taken, where `chosen` are. */
export function choiceBits(chosen: number, of: number): number {
  return log2Factorial(of) - log2Factorial(chosen) - log2Factorial(of - chosen);
}

/** `n!` with base 2, by Stirling's series. */
export function log2Factorial(n: number): number {
  if (n < 2) return 0;
  const natural = n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + 1 / (12 * n);
  return natural / Math.LN2;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}
