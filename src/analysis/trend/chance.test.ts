import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { chanceAnywhere, chanceOfT } from "./chance.ts";

test.each([
  // Printed tables of Student's t.
  [12.706, 1, 0.05],
  [4.303, 2, 0.05],
  [4.781, 9, 0.001],
  [3.659, 29, 0.001],
])("of t = %d with %d degrees of freedom it is %d", (t, degrees, expected) => {
  expect(chanceOfT(t, degrees) / expected).toBeCloseTo(1, 2);
});

test("the probability is never smaller than the precision of its sums", () => {
  expect(chanceOfT(1e6, 30)).toBe(1e-12);
  expect(chanceOfT(Infinity, 4)).toBe(1e-12);
});

test("the chance anywhere is Miller and Siegmund's, worked out by hand", () => {
  // 100 values, halves of 3 and more; a deviation of 3.5 has the chance 0.000465 at one place.
  // Density of 3.5: 0.000872683. (3.5 - 1/3.5) * ln((97/3)²) + 4/3.5 = 3.214286 * 6.952255 + 1.142857.
  expect(chanceAnywhere(0.0004652582, 100, 3)).toBeCloseTo(0.000872683 * 23.489391, 5);
});

test("it is never more than that of all places together, and with one place that of this one", () => {
  expect(chanceAnywhere(0.001, 6, 3)).toBe(0.001);
  expect(chanceAnywhere(0.2, 7, 3)).toBe(0.4);
  expect(chanceAnywhere(0.9, 100, 3)).toBe(1);
});

test.each([20, 60, 200])("noise over %d values is rarely as clear as 1 in 20", (length) => {
  const random = seededRandom(length);
  const runs = 1500;
  let clear = 0;
  for (let run = 0; run < runs; run++) {
    if (chanceAnywhere(smallestChance(length, random), length, 3) <= 0.05) clear += 1;
  }
  // What is simulated is the exact distribution, for which the approximation is a little too careful.
  expect(clear / runs).toBeLessThan(0.06);
  expect(clear / runs).toBeGreaterThan(0.02);
});

/** Of the place where normal noise of known variance differs most. */
function smallestChance(length: number, random: () => number): number {
  const noise = Array.from({ length }, () => normal(random));
  const sum = noise.reduce((total, each) => total + each, 0);
  let [left, most] = [0, 0];
  for (const [index, value] of noise.entries()) {
    left += value;
    const [before, after] = [index + 1, length - index - 1];
    if (before < 3 || after < 3) continue;
    const difference = Math.abs(left / before - (sum - left) / after);
    most = Math.max(most, difference / Math.sqrt(1 / before + 1 / after));
  }
  // So many degrees of freedom that t is a normal deviate.
  return chanceOfT(most, 2000);
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
