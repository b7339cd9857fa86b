import { expect, test } from "vitest";
import { findCandidates, lastUnlike } from "./change-points.ts";
import { findChanges } from "./find-changes.ts";
import { TREND_FIGURES, type TrendFigure, type TrendValues } from "../../api/trend.ts";
import { pullInOutliers } from "./trend-figures.ts";
import { standingChange } from "../check/check-history.ts";

/** `length` values that alternate around `height`, 1 above and 1 below. */
const level = (length: number, height: number): number[] =>
  Array.from({ length }, (_, at) => height + (at % 2 === 0 ? -1 : 1));

const seriesOf = (...parts: readonly number[][]) => ({
  values: Float64Array.from(parts.flat()),
  varianceMin: 1e-6,
});

const constantBut = (figure: TrendFigure, values: readonly number[]): TrendValues => {
  const all = TREND_FIGURES.map((each) => [each, values.map(() => 1)]);
  return { ...(Object.fromEntries(all) as TrendValues), [figure]: values };
};

const changesIn = async (values: readonly number[]) => {
  const [changes = []] = await findChanges([constantBut("avgLoadTime", values)]);
  return changes.map(({ at }) => at);
};

// t = difference / sqrt(8/6 x (1/4 + 1/4)); Student's t with 6 degrees of freedom is 3.707 at 1 %.
test.each([
  { difference: 3.1, places: [4] },
  { difference: 2.95, places: [] },
])("two levels $difference apart are candidates below 1 %: $places", ({ difference, places }) => {
  expect(findCandidates(seriesOf(level(4, 0), level(4, difference)))).toEqual(places);
});

// Chances of the 276 stretches of 24 values together: 4.2 % and 6.0 %.
test.each([
  { difference: 3.3, places: [10, 14] },
  { difference: 3.2, places: [] },
])("a stretch $difference off is a candidate below 5 %: $places", ({ difference, places }) => {
  const series = seriesOf(level(10, 0), level(4, difference), level(10, 0));
  expect(findCandidates(series)).toEqual(places);
});

// One of six figures, six runs on either side: 1 % / 6 / (14/6)^4 is 0.0056 % anywhere, at t = 8.355 with 10 degrees of freedom.
// t = difference / sqrt(12/10 x (1/6 + 1/6)).
test.each([
  { difference: 5.3, places: [6] },
  { difference: 5.25, places: [] },
])(
  "levels $difference apart are reported at a false discovery rate of 1 % and among looks at few runs: $places",
  async (given) => {
    const logarithms = [level(6, 0), level(6, given.difference)].flat();
    expect(await changesIn(logarithms.map((each) => Math.exp(each / 10)))).toEqual(given.places);
  },
);

// Ten runs on either side: 1 % / 6 / 1.4^4 anywhere, at t = 5.546 with 18 degrees of freedom. t = ln(ratio) / (0.005 x sqrt(1/10 + 1/10)).
test.each([
  { ratio: 1.0126, places: [10] },
  { ratio: 1.0123, places: [] },
])(
  "without noise, a ratio of $ratio is tested against a deviation of 0.5 %: $places",
  async (given) => {
    const values = Array.from({ length: 20 }, (_, at) => (at < 10 ? 1 : given.ratio));
    expect(await changesIn(values)).toEqual(given.places);
  },
);

// Both values as the nearer one: t = value / sqrt(8/8 x (1/2 + 1/8)); with 8 degrees of freedom it is 5.04 at 0.1 %.
test.each([
  { last: [4.02, 4.02], at: 8 },
  { last: [90, 4.02], at: 8 },
  { last: [3.95, 90], at: undefined },
  { last: [-90, 90], at: undefined },
])("last values of $last are unlike the others below 0.1 %: $at", ({ last, at }) => {
  expect(lastUnlike(seriesOf(level(8, 0), last), 0)?.at).toBe(at);
});

test("noise reaches three times the distance that nine of ten values keep", () => {
  // Distances of 20 values: 17 of 0, then 1, 2 and 40. The 18th counts.
  const values = Array.from({ length: 20 }, () => 5)
    .with(3, 6)
    .with(9, 7)
    .with(15, 45);
  expect([...pullInOutliers(Float64Array.from(values), 0)]).toEqual(values.with(15, 8));
});

// As above, in tenths of the logarithm; Student's t is 2.447 at 5 %, a difference of 1.998.
test.each([
  { difference: 2.1, stands: true },
  { difference: 1.9, stands: false },
])("of two changes $difference remain at 5 %: $stands", ({ difference, stands }) => {
  const logarithms = [level(4, 0), level(6, 20), level(4, difference)].flat();
  const overall = constantBut(
    "avgLoadTime",
    logarithms.map((each) => Math.exp(each / 10)),
  );
  const common = { figure: "avgLoadTime", hash: undefined, label: undefined, loadTestId: "x" };
  const change = { ...common, change: 0, chance: 0, before: 1, after: 1 } as const;
  const changes = [
    { ...change, at: 10, loadTestsBefore: 6, loadTestsAfter: 4 },
    { ...change, at: 4, loadTestsBefore: 4, loadTestsAfter: 6 },
  ];
  const trend = { changes, overall, endpoints: [], loadTests: [] } as unknown as Parameters<
    typeof standingChange
  >[0];
  const query = { hash: undefined, figure: "avgLoadTime", hasBaseline: true } as const;
  expect(standingChange(trend, query) !== undefined).toBe(stands);
});

test("a change from a first level of 0 has no percentage", () => {
  const seconds = [0, 0, 0, 0, 5, 5, 5, 5, 3, 3, 3, 3];
  const overall = constantBut("avgLoadTime", seconds);
  const common = { figure: "avgLoadTime", hash: undefined, label: undefined, chance: 0 };
  const changes = [
    { ...common, at: 8, change: -0.4, before: 5, after: 3, loadTestsBefore: 4, loadTestsAfter: 4 },
    { ...common, at: 4, before: 0, after: 5, loadTestsBefore: 4, loadTestsAfter: 4 },
  ];
  const trend = { changes, overall, endpoints: [], loadTests: [] } as unknown as Parameters<
    typeof standingChange
  >[0];
  const query = { hash: undefined, figure: "avgLoadTime", hasBaseline: true } as const;
  const found = standingChange(trend, query);
  expect(found).toMatchObject({ before: 0, after: 3 });
  expect(found).not.toHaveProperty("change");
});
