import { expect, test } from "vitest";
import { discoveryLimit } from "./find-changes.ts";

/** The example of the paper: 15 comparisons, of which four count at 5 %. */
const PUBLISHED = [
  0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719,
  0.6528, 0.759, 1,
];

test("of the example of Benjamini and Hochberg the first four count", () => {
  const limit = discoveryLimit(PUBLISHED.toReversed(), 15, 0.05);
  expect(limit).toBeCloseTo((0.05 * 4) / 15, 12);
  expect(PUBLISHED.filter((chance) => chance <= limit)).toHaveLength(4);
});

test.each([
  ["nothing was found", [], 600, 0],
  ["nothing is clear enough for so many tests", [0.001], 600, 0],
  ["a single test counts by itself", [0.05], 1, 0.05],
  ["one that is not clear by itself counts with others", [0.04, 0.045], 2, 0.05],
])("where %s, the limit is that of the step-up procedure", (_, chances, tests, limit) => {
  expect(discoveryLimit(chances, tests, 0.05)).toBeCloseTo(limit, 12);
});
