import { expect, test } from "vitest";
import { chartHeights } from "./use-chart-heights.ts";

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
