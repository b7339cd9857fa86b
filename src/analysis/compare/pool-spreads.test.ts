import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { type EndpointSpread, moderated, poolSpreads } from "./pool-spreads.ts";

function spreadOf(residuals: readonly number[]): EndpointSpread {
  const degreesOfFreedom = residuals.length - 1;
  const squares = residuals.reduce((sum, each) => sum + each ** 2, 0);
  return {
    variance: squares / degreesOfFreedom,
    degreesOfFreedom,
    loadTests: residuals.length,
    residuals: Float64Array.from(residuals),
  };
}

test("endpoints that rise and fall together add no degrees of freedom", () => {
  const one = spreadOf([1, -1, 1, -1]);
  const pooled = poolSpreads([one, one]);
  expect(pooled?.degreesMax).toBeCloseTo(3, 9);
  expect(pooled && moderated(one, pooled).degreesOfFreedom).toBe(3);
});

test("two endpoints that vary alike but independently double the degrees of freedom", () => {
  const [one, other] = [spreadOf([1, -1, 1, -1]), spreadOf([1, 1, -1, -1])];
  const pooled = poolSpreads([one, other]);
  expect(pooled).toMatchObject({ degreesOfFreedom: Infinity });
  expect(pooled?.degreesMax).toBeCloseTo(6, 9);
  expect(pooled && moderated(one, pooled).degreesOfFreedom).toBe(6);
});

test("an endpoint that varies more than others keeps its own spread", () => {
  const quiet = [spreadOf([1, -1, 1, -1]), spreadOf([1, 1, -1, -1]), spreadOf([1, -1, -1, 1])];
  const pooled = poolSpreads(quiet);
  const loud = spreadOf([9, -9, 9, -9]);
  expect(pooled && moderated(loud, pooled).variance).toBe(loud.variance);
});

test("one endpoint has nothing in common with others", () => {
  expect(poolSpreads([spreadOf([1, -1, 1, -1])])).toBeUndefined();
});

test("what endpoints have in common is found in endpoints drawn by it", () => {
  const random = seededRandom(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const chiSquare = (degrees: number) =>
    Array.from({ length: degrees }, normal).reduce((sum, each) => sum + each ** 2, 0);
  // Variances as Smyth 2004 assumes them: 0.04 times 8 over a chi-square of 8 degrees of freedom.
  const spreads = Array.from({ length: 4000 }, () => {
    const deviation = Math.sqrt((0.04 * 8) / chiSquare(8));
    const values = Array.from({ length: 4 }, () => deviation * normal());
    const average = values.reduce((sum, each) => sum + each, 0) / 4;
    return spreadOf(values.map((value) => value - average));
  });
  const pooled = poolSpreads(spreads);
  expect(Math.abs((pooled?.variance ?? 0) / 0.04 - 1)).toBeLessThan(0.03);
  expect(Math.abs((pooled?.degreesOfFreedom ?? 0) / 8 - 1)).toBeLessThan(0.15);
});
