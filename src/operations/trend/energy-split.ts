import { LEVEL_MIN, type Part } from "./levels.ts";

/**
 * Where a part of `values` is best cut in two: E-divisive's divergence of both halves, made of the
 * distances between all pairs, is largest there [1, equations 5 and 6, with the exponent 1]. The index
 * of the first value of the second half; `undefined` where the part is shorter than two levels. Work
 * grows with the square of the length, memory with the length. Sources: docs/trend.md.
 */
export function bestSplit(values: Float64Array, { from, until }: Part): number | undefined {
  const length = until - from;
  const { toEarlier, toLater } = distancesOf(values, { from, until });
  let rightSum = toLater.reduce((sum, each) => sum + each, 0);
  const allSum = rightSum;
  let leftSum = 0;
  let [best, divergence]: [number | undefined, number] = [undefined, -Infinity];
  for (let left = 1; left <= length - LEVEL_MIN; left++) {
    leftSum += toEarlier[left - 1] as number;
    rightSum -= toLater[left - 1] as number;
    if (left < LEVEL_MIN) continue;
    const right = length - left;
    const within = (right / (left - 1)) * leftSum + (left / (right - 1)) * rightSum;
    const here = (2 / length) * (allSum - leftSum - rightSum - within);
    if (here > divergence) [best, divergence] = [from + left, here];
  }
  return best;
}

/** Sums of the distances of each value of a part to those before it, and to those after it. */
function distancesOf(values: Float64Array, { from, until }: Part) {
  const toEarlier = new Float64Array(until - from);
  const toLater = new Float64Array(until - from);
  for (let later = 1; later < until - from; later++) {
    const value = values[from + later] as number;
    let sum = 0;
    for (let earlier = 0; earlier < later; earlier++) {
      const distance = Math.abs(value - (values[from + earlier] as number));
      sum += distance;
      toLater[earlier] = (toLater[earlier] as number) + distance;
    }
    toEarlier[later] = sum;
  }
  return { toEarlier, toLater };
}
