import { expect, test } from "vitest";
import { valueRangeOf } from "./draw-chart.ts";

const CHART = { lines: [], hidden: new Set<string>() };

test.each([
  ["a single value", 0.123],
  ["times below the least one of the axis", 0.00005],
])("a logarithmic axis of %s has room below it", (_, value) => {
  const [low, high] = valueRangeOf({ ...CHART, isLogarithmic: true }, value, value);
  expect(low).toBeLessThan(value);
  expect(low).toBeGreaterThan(0);
  expect(high).toBe(value);
});

test.each([
  [-5, 10],
  [-5, -2],
  [-5, 0],
])("values from %d to %d are within the axis, and so is 0", (least, most) => {
  const [low, high] = valueRangeOf(CHART, least, most);
  expect(low).toBeLessThanOrEqual(least);
  expect(high).toBeGreaterThanOrEqual(Math.max(0, most));
});

test.each([
  [0, 10, [0, 10.5]],
  [3, 10, [0, 10.5]],
  [0, 0, [0, 1.05]],
  [null, null, [0, 1.05]],
])("an axis of %j to %j begins at 0", (least, most, range) => {
  expect(valueRangeOf(CHART, least, most)).toEqual(range);
});
