import { expect, test } from "vitest";
import { pullInOutliers } from "./trend-figures.ts";

const pulledIn = (values: readonly number[], varianceMin = 0) => [
  ...pullInOutliers(Float64Array.from(values), varianceMin),
];

test("a value far from its neighbours is pulled in, by hand", () => {
  // The middle of the neighbours of 99 and itself is 5. All others are 2 or 0 from theirs, and so many
  // are 2 away that nine of ten are no further: noise reaches 3 times 2.
  const values = [5, 7, 5, 7, 5, 7, 5, 99, 5, 7, 5, 7, 5, 7, 5];
  expect(pulledIn(values)).toEqual(values.with(7, 11));
  expect(pulledIn(values.map((value) => -value))).toEqual(
    values.with(7, 11).map((value) => -value),
  );
});

test.each([
  ["a step", [5, 6, 5, 6, 5, 6, 50, 51, 50, 51, 50, 51]],
  ["four load tests of another level", [5, 6, 5, 6, 5, 6, 50, 51, 50, 51, 5, 6, 5, 6, 5, 6]],
  ["noise", [5, 6, 7, 5, 6, 7, 7, 5, 6]],
  ["nothing", []],
])("%s stays unchanged", (_, values) => {
  expect(pulledIn(values)).toEqual(values);
});

test("where nothing else differs, noise is what cannot be measured", () => {
  const values = [5, 5, 5, 5, 5, 9, 5, 5, 5, 5, 5];
  expect(pulledIn(values, 0.25)).toEqual(values.with(5, 8));
});
