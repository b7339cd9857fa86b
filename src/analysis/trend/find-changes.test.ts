import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { findChanges } from "./find-changes.ts";
import { TREND_FIGURES, type TrendFigure, type TrendValues } from "../../api/trend.ts";

const LOAD_TESTS = 40;

type Values = readonly (number | null)[];

/** An endpoint of 1,000 requests a load test with nothing but noise of 2 %, unless said otherwise. */
function endpoint(seed: number, given: Partial<Record<TrendFigure, Values>> = {}): TrendValues {
  const random = seededRandom(seed);
  const noisy = (level: number) =>
    Array.from({ length: LOAD_TESTS }, () => level * (0.98 + 0.04 * random()));
  const levels = { count: 1000, errRate: 0.01, avgLoadTime: 0.1, p50: 0.08, p95: 0.2, p99: 0.5 };
  return { ...allFigures((figure) => noisy(levels[figure])), ...given };
}

function allFigures(valuesOf: (figure: TrendFigure) => Values): TrendValues {
  const values = TREND_FIGURES.map((figure) => [figure, valuesOf(figure)]);
  return Object.fromEntries(values) as Record<TrendFigure, Values>;
}

/** Every fifth load test lacks it. */
function withGaps(values: Values): Values {
  return values.map((value, at) => (at % 5 === 0 ? null : value));
}

/** 20 load tests each of two levels, every other one a little above. */
function step(before: number, after: number, noise = 0.002): number[] {
  return Array.from(
    { length: LOAD_TESTS },
    (_, at) => (at < 20 ? before : after) + (at % 2) * noise,
  );
}

test("a change holds the figure, the index, both levels and the number of runs at each", async () => {
  const [changes] = await findChanges([endpoint(1, { p95: step(0.2, 0.3) })]);
  expect(changes).toMatchObject([
    { figure: "p95", at: 20, loadTestsBefore: 20, loadTestsAfter: 20 },
  ]);
  // Geometric averages: half of the values are 2 ms above.
  expect(changes?.[0]?.before).toBeCloseTo(Math.sqrt(0.2 * 0.202), 9);
  expect(changes?.[0]?.after).toBeCloseTo(Math.sqrt(0.3 * 0.302), 9);
  expect(changes?.[0]?.chance).toBeLessThan(1e-9);
});

test("figures that change together are reported with the same run", async () => {
  // By itself p95 changes most at 22: two load tests of the new level are near the old one.
  const p95 = step(0.2, 0.3, 0.03).with(20, 0.205).with(21, 0.21);
  const placesWith = async (given: Partial<Record<TrendFigure, Values>>) => {
    const [changes = []] = await findChanges([endpoint(4, { p95, ...given })]);
    return changes.map(({ figure, at, loadTestsBefore }) => [figure, at, loadTestsBefore]);
  };
  expect(await placesWith({})).toEqual([["p95", 22, 22]]);
  expect(await placesWith({ p50: step(0.08, 0.16, 0.0005) })).toEqual([
    ["p50", 20, 20],
    ["p95", 20, 20],
  ]);
  // A change in the other direction has another cause.
  expect(await placesWith({ p50: step(0.16, 0.08, 0.0005) })).toEqual([
    ["p50", 20, 20],
    ["p95", 22, 22],
  ]);
});

// A bucket of 200 ms is 2.048 ms wide. Averages are not rounded: they change by what they change.
test.each([
  { figure: "p95", before: 0.012, after: 0.013, isRecorded: false },
  { figure: "p95", before: 0.013, after: 0.012, isRecorded: false },
  { figure: "p95", before: 0.012, after: 0.014, isRecorded: true },
  { figure: "p50", before: 0.001, after: 0.002, isRecorded: false },
  { figure: "p95", before: 0.0121, after: 0.0131, isRecorded: true },
  { figure: "p99", before: 1.999999, after: 2.001999, isRecorded: false },
  { figure: "p99", before: 1.999999, after: 2.039999, isRecorded: true },
  { figure: "avgLoadTime", before: 0.012, after: 0.013, isRecorded: true },
] as const)("$figure from $before to $after s, reported: $isTold", async (given) => {
  const { figure, before, after, isRecorded } = given;
  const [changes] = await findChanges([endpoint(5, { [figure]: step(before, after, 0) })]);
  expect(changes?.map((each) => each.figure)).toEqual(isRecorded ? [figure] : []);
});

test("runs without the endpoint are left out, and the index counts all runs", async () => {
  const given = endpoint(2, { p50: step(0.08, 0.1) });
  const [changes] = await findChanges([allFigures((figure) => withGaps(given[figure]))]);
  // Load test 20 lacks it: 21 is the first that shows the new level.
  expect(changes).toMatchObject([
    { figure: "p50", at: 21, loadTestsBefore: 16, loadTestsAfter: 16 },
  ]);
});

test("an outlier hides no change, and is limited to the range of noise", async () => {
  for (const at of [0, 7, 25, 39]) {
    const p95 = step(0.2, 0.22).with(at, 30);
    const [changes] = await findChanges([endpoint(3, { p95 })]);
    const [change] = (changes ?? []).filter((each) => each.at === 20);
    expect(change, `outlier at ${at}`).toMatchObject({ figure: "p95", loadTestsBefore: 20 });
    expect(change?.before).toBeLessThan(0.21);
  }
});

test.each<[string, Partial<Record<TrendFigure, Values>>]>([
  ["nothing but noise", {}],
  ["no failures at all", { errRate: step(0, 0, 0) }],
  ["one failure of a thousand now and then", { errRate: step(0, 0, 0.001) }],
  ["times of 0", { p50: step(0, 0, 0) }],
  ["a change by less than percentiles are exact", { p95: step(0.2, 0.2004, 0) }],
])("no change is reported for %s", async (_, given) => {
  expect(await findChanges([endpoint(4, given)])).toEqual([[]]);
});

test("rising failures are reported as shares", async () => {
  const [changes] = await findChanges([endpoint(5, { errRate: step(0, 0.02, 0) })]);
  expect(changes).toMatchObject([{ figure: "errRate", at: 20, before: 0 }]);
  expect(changes?.[0]?.after).toBeCloseTo(0.02, 12);
});

test("too few runs, or none, have no changes", async () => {
  const few = allFigures(() => [1, 1, 9, 9, 9]);
  const none = allFigures(() => [null, null]);
  expect(await findChanges([few, none])).toEqual([[], []]);
  expect(await findChanges([])).toEqual([]);
});

test("the last two runs are a change if both are far off; the last one by itself is not", async () => {
  const one = step(0.5, 0.5, 0).with(39, 0.9);
  const found = await findChanges([one, one.with(38, 0.8)].map((p99) => endpoint(10, { p99 })));
  const [ofOne, ofTwo] = found.map((changes) => changes.filter(({ figure }) => figure === "p99"));
  expect(ofOne).toEqual([]);
  expect(ofTwo).toMatchObject([{ figure: "p99", at: 38, loadTestsBefore: 38, loadTestsAfter: 2 }]);
  expect(ofTwo?.[0]?.before).toBeCloseTo(0.5, 9);
});

test("noise in a hundred endpoints rarely yields a change, and real changes are still found", async () => {
  const quiet = Array.from({ length: 99 }, (_, seed) => endpoint(100 + seed));
  const found = await findChanges([...quiet, endpoint(7, { p50: step(0.08, 0.088) })]);
  expect(found.slice(0, 99).flat()).toEqual([]);
  expect(found[99]).toMatchObject([{ figure: "p50", at: 20 }]);
});

test("the same request gives the same result", async () => {
  const given = [endpoint(8, { p95: step(0.2, 0.21, 0.01) }), endpoint(9)];
  expect(await findChanges(given)).toEqual(await findChanges(structuredClone(given)));
});

test.each([
  { name: "up at the same run", to: 0.088, at: 20, figures: ["p50", "p95"] },
  { name: "up three runs later", to: 0.088, at: 23, figures: ["p50", "p95"] },
  { name: "up eight runs later", to: 0.088, at: 28, figures: ["p95"] },
  { name: "down", to: 0.0727, at: 20, figures: ["p95"] },
])("a change unclear by itself is one beside another figure's: $name", async (given) => {
  const { to, at, figures } = given;
  // 12 % up and down in an order that repeats every seven runs.
  const p50 = Array.from(
    { length: LOAD_TESTS },
    (_, run) => (run < at ? 0.08 : to) * (1 + 0.04 * (((run * 3) % 7) - 3)),
  );
  const found = async (p95: Values) => {
    const [changes = []] = await findChanges([endpoint(11, { p50, p95 })]);
    return changes.map(({ figure }) => figure);
  };
  expect(await found(step(0.2, 0.2))).toEqual([]);
  expect(await found(step(0.2, 0.3))).toEqual(figures);
});
