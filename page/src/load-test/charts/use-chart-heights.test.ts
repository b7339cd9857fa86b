import { expect, test } from "vitest";
import { chartHeights, type ChosenHeight, chosenHeightOf } from "./use-chart-heights.ts";

test.each([
  [600, 200, 90],
  [900, 270, 100],
  [1440, 420, 120],
  [2160, 420, 120],
])(
  "in a window %d px high, response times have %d px and counts %d px",
  (window, times, counts) => {
    expect(chartHeights(window)).toEqual({ times, counts });
  },
);

test.each([
  ["full", "full", 760],
  ["340", 340, 340],
  ["12", undefined, 270],
  ["tall", undefined, 270],
  [undefined, undefined, 270],
])("the height %s of a URL is %s: %d px of a window of 900", (text, chosen, times) => {
  const parameters = new Map(text === undefined ? [] : [["height", text]]);
  expect(chosenHeightOf(parameters)).toBe(chosen);
  expect(chartHeights(900, chosen as ChosenHeight).times).toBe(times);
});
