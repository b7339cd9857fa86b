import { expect, test } from "vitest";
import type { Series } from "../../api/figures.ts";
import { isLogarithmicIn } from "./scale.ts";

/** p95 over time, in seconds; the axis depends on nothing else. */
function seriesOf(p95: readonly (number | null)[]): Series {
  return { labels: p95.map((_, second) => second), percentiles: { p95 } } as unknown as Series;
}

const range = { from: 0, until: 5 };
const quiet = { merged: seriesOf([0.1, 0.2, 0.1, 0.2, 1.9, 30]), each: undefined };
const outlier = { merged: seriesOf([0.1, 0.1, null, 0.1, 2.1]), each: undefined };

test.each([
  [
    "a highest value of 19 times the middle one, without what is beyond the range",
    undefined,
    quiet,
    false,
  ],
  ["an outlier of 21 times the middle one", undefined, outlier, true],
  ["a linear axis in the URL", "linear", outlier, false],
  ["a logarithmic axis in the URL", "log", quiet, true],
  ["nothing yet", undefined, undefined, false],
  [
    "lines of endpoints",
    undefined,
    { ...quiet, each: [seriesOf([0.1, 0.1]), seriesOf([0.1, 3])] },
    true,
  ],
] as const)("%s", (_, chosen, sheet, expected) => {
  const parameters = new Map(chosen === undefined ? [] : [["scale", chosen]]);
  expect(isLogarithmicIn(parameters, sheet, range)).toBe(expected);
});
