import { expect, test } from "vitest";
import type { Series } from "../api/figures.ts";
import { gridOf, perSecond, valuesAt, valuesOn } from "./grid.ts";

const SERIES: Series = {
  labels: [100, 110],
  count: [10, 4],
  errCount: [0, 0],
  avgLoadTime: [0, 0],
  receivedBytes: [0, 0],
  percentileOrigin: "computed" as const,
  percentiles: {},
};

test("windows start at multiples of the resolution and know how much of them is in the range", () => {
  const { seconds, lengths } = gridOf(103, 121, 5);
  expect(seconds).toEqual([103, 105, 110, 115, 120, 121]);
  expect(lengths).toEqual([2, 5, 5, 5, 1]);
});

test("seconds without requests are gaps, also at the end", () => {
  const grid = gridOf(103, 121, 5);
  expect(valuesOn(grid, SERIES, (point) => SERIES.count[point] as number)).toEqual([
    10,
    null,
    4,
    null,
    null,
    null,
  ]);
});

test("the last window reaches to the end of the range", () => {
  const values = valuesOn(gridOf(100, 113, 5), SERIES, (point) => SERIES.count[point] as number);
  expect(values).toEqual([10, null, 4, 4]);
});

test("a window that is cut has the rate of itself and the one beside it", () => {
  // 10 requests in 2 seconds, none in the 5 that follow.
  const grid = gridOf(103, 121, 5);
  expect(perSecond(grid, SERIES, SERIES.count)[0]).toBe(10 / 7);
  // The end of a real Locust run: 36 requests in its last second, 36 a minute before.
  const end = { labels: [100, 160], count: [36, 36] };
  expect(perSecond(gridOf(100, 161, 5), end, end.count).at(-1)).toBe(6);
  const steady = { labels: [100, 105, 110], count: [40, 100, 20] };
  expect(perSecond(gridOf(103, 111, 5), steady, steady.count)).toEqual([20, 20, 20, 20]);
  expect(perSecond(gridOf(103, 104, 5), steady, steady.count)).toEqual([40, 40]);
});

test.each([
  { resolution: 1, until: 111, isGrowing: true, last: null },
  { resolution: 1, until: 111, isGrowing: false, last: 4 },
  { resolution: 10, until: 113, isGrowing: true, last: null },
  { resolution: 10, until: 120, isGrowing: true, last: 0.4 },
  { resolution: 10, until: 113, isGrowing: false, last: 14 / 13 },
])("the last window of $resolution s up to $until, growing: $isGrowing", (given) => {
  const { resolution, until, isGrowing, last } = given;
  const grid = { ...gridOf(100, until, resolution), isGrowing };
  const values = perSecond(grid, SERIES, SERIES.count);
  expect([values[0], values.at(-1)]).toEqual([10 / resolution, last]);
});

test("a longer window is drawn at its full length", () => {
  const grid = gridOf(100, 120, 2);
  const series = { ...SERIES, windows: [6, 10] };
  const values = valuesOn(
    grid,
    series,
    (point, seconds) => (series.count[point] as number) / seconds,
  );
  expect(values.slice(0, 6)).toEqual([10 / 6, 10 / 6, 10 / 6, null, null, 0.4]);
});

test("for series requested over a longer range, windows at the edges hold all of their seconds", () => {
  const { seconds, lengths } = gridOf(103, 121, 5, { from: 90, until: 200 });
  expect(seconds).toEqual([103, 105, 110, 115, 120, 121]);
  expect(lengths).toEqual([5, 5, 5, 5, 5]);
});

test("one empty window follows the requested range, and the last step ends before it", () => {
  const grid = gridOf(100, 130, 5, { from: 100, until: 112 });
  expect(grid.seconds).toEqual([100, 105, 110, 112, 130]);
  expect(grid.lengths).toEqual([5, 5, 2, 0]);
  const values = valuesOn(grid, SERIES, (point, seconds) => (SERIES.count[point] ?? 0) / seconds);
  expect(values).toEqual([2, null, 2, null, null]);
});

test("a long point that begins before the range is drawn as far as it reaches into it", () => {
  const series = { ...SERIES, windows: [30, 10] };
  expect(valuesOn(gridOf(120, 150, 10), series, (point) => point)).toEqual([0, null, null, null]);
});

test("longer points of another series apply to all seconds that they cover", () => {
  const seconds = [10, 15, 20, 25, 30, 35, 38];
  expect(valuesAt(seconds, [10, 30], 10, [7, 8])).toEqual([7, 7, null, null, 8, 8, 8]);
});

test("among 500,000 windows, those of a run that also has a request of 1970, only those with requests have a rate", () => {
  const grid = gridOf(7200, 1_790_002_800, 3600);
  const series = { labels: [7200, 1_789_999_200] };
  const rates = perSecond(grid, series, [3600, 1800]);
  expect(rates.filter((rate) => rate !== null)).toEqual([1, 0.5, 0.5]);
});
