import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import type { TrendFigure, TrendValues } from "../../api/trend.ts";
import type { EarlierValues } from "./earlier-runs.ts";
import { detectableChange, runNoise, shiftLimitsBetween } from "./run-noise.ts";

/** Seconds of p95; 600 requests each, none of them failed unless said otherwise. */
function earlier(p95: readonly number[], others: Partial<TrendValues> = {}): EarlierValues {
  const unknown = p95.map(() => null);
  const values = {
    count: p95.map(() => 600),
    errRate: p95.map(() => 0),
    avgLoadTime: unknown,
    p50: unknown,
    p95,
    p99: unknown,
    ...others,
  };
  return { values, cuts: new Map() };
}

function withCut(values: EarlierValues, figure: TrendFigure, at: number): EarlierValues {
  return { ...values, cuts: new Map([[figure, [{ at }]]]) };
}

/** Two-sided quantiles of Student's t, from tables. */
const T_5_PERCENT_3 = 3.182_446;
const T_5_PERCENT_2 = 4.302_653;

test("the spread is the standard deviation of the logarithms, and the level their average", () => {
  // Logarithms to the base 1.1: -1, 0, 0, 1. Variance by hand: 2 / 3.
  const runs = [1 / 1.1, 1, 1, 1.1];
  const deviation = Math.log(1.1) * Math.sqrt(2 / 3);
  const tested = runNoise(earlier(runs), "p95", {
    base: 1.1,
    value: 1.5,
    baseAt: 3,
    errorProbability: 0.05,
  });
  expect(tested?.noise).toMatchObject({ loadTests: 4, degreesOfFreedom: 3 });
  expect(tested?.noise.level).toBeCloseTo(1, 9);
  expect(tested?.noise.spread).toBeCloseTo(Math.exp(deviation) - 1, 9);
  // One run against the average of four.
  const standardError = deviation * Math.sqrt(1 + 1 / 4);
  expect(tested?.noise.standardError).toBeCloseTo(standardError, 9);
  expect(tested?.limits.low).toBeCloseTo(1.5 * Math.exp(-T_5_PERCENT_3 * standardError) - 1, 5);
  expect(tested?.limits.high).toBeCloseTo(1.5 * Math.exp(T_5_PERCENT_3 * standardError) - 1, 5);
});

test("a base outside the given runs represents itself", () => {
  const query = { base: 1.1, value: 1.1, baseAt: -1, errorProbability: 0.05 };
  const tested = runNoise(earlier([1 / 1.1, 1, 1, 1.1]), "p95", query);
  expect(tested?.noise.level).toBeCloseTo(1.1, 9);
  expect(tested?.noise.standardError).toBeCloseTo(Math.log(1.1) * Math.sqrt(4 / 3), 9);
  expect(tested?.noise.chance).toBeCloseTo(1, 9);
});

test("a change between earlier runs is not noise", () => {
  const runs = [1 / 1.1, 1.1, 2 / 1.1, 2, 2.2];
  const query = { base: 2.2, value: 2.2, baseAt: 4, errorProbability: 0.05 };
  const tested = runNoise(withCut(earlier(runs), "p95", 2), "p95", query);
  // Squares around the two levels: 2 of the first pair, 2 of the others; 5 runs less 2 levels.
  expect(tested?.noise.degreesOfFreedom).toBe(3);
  expect(tested?.noise.level).toBeCloseTo(2, 9);
  const deviation = Math.log(1.1) * Math.sqrt(4 / 3);
  expect(tested?.noise.standardError).toBeCloseTo(deviation * Math.sqrt(1 + 1 / 3), 9);
});

test.each<readonly [name: string, values: EarlierValues]>([
  ["three runs", earlier([1, 1.1, 1])],
  ["four runs on two levels", withCut(earlier([1, 1, 2, 2]), "p95", 2)],
  ["a time of 0", earlier([1, 1.1, 0, 1])],
])("no noise estimate from %s", (_, values) => {
  const query = { base: 1, value: 1, baseAt: -1, errorProbability: 0.05 };
  expect(runNoise(values, "p95", query)).toBeUndefined();
});

test("shares of failures are compared by the arcsine of their root", () => {
  const shares = [0.01, 0.04, 0.01, 0.04];
  const values = earlier([1, 1, 1, 1], { errRate: shares, count: shares.map(() => 1e9) });
  const query = { base: 0.04, value: 0.04, baseAt: -1, errorProbability: 0.05 };
  const [low, high] = [Math.asin(0.1), Math.asin(0.2)];
  const deviation = ((high - low) / 2) * Math.sqrt(4 / 3);
  expect(runNoise(values, "errRate", query)?.noise).toMatchObject({
    level: expect.closeTo(0.04, 9),
    standardError: expect.closeTo(deviation * Math.sqrt(2), 9),
  });
});

test("a detectable growth is found in 9 of 10 cases", () => {
  const [trials, degreesOfFreedom] = [20_000, 3];
  const random = seededRandom(1);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let found = 0;
  for (let trial = 0; trial < trials; trial++) {
    const squares = normal() ** 2 + normal() ** 2 + normal() ** 2;
    const measured = 0.01 * Math.sqrt(squares / degreesOfFreedom);
    const noise = { level: 1, standardError: measured, degreesOfFreedom };
    const growth = Math.log1p(detectableChange("p95", noise, 0.05));
    found += growth + 0.01 * normal() > T_5_PERCENT_3 * measured ? 1 : 0;
  }
  expect(found / trials).toBeGreaterThan(0.89);
  expect(found / trials).toBeLessThan(0.91);
});

test("what noise within the runs does not explain is found in 9 of 10 cases", () => {
  const noise = { level: 1, standardError: 0.01, degreesOfFreedom: 9 };
  // Student's t of 9 is 1.383 at 10 %, one-sided.
  const detectable = detectableChange("p95", noise, 0.05, 1.224);
  expect(detectable).toBeCloseTo(1.224 * Math.exp(0.01383) - 1, 4);
});

test("the shift has the noise of two runs", () => {
  const spread = { variance: 0.01, degreesOfFreedom: 2, loadTests: 4 };
  const { low, high } = shiftLimitsBetween(spread, 0, 0.05);
  const reach = T_5_PERCENT_2 * Math.sqrt(0.02);
  expect([low, high]).toEqual([
    expect.closeTo(Math.exp(-reach) - 1, 5),
    expect.closeTo(Math.exp(reach) - 1, 5),
  ]);
});
