import { expect, test } from "vitest";
import { nearestBegin } from "./marks.ts";

test.each([
  [11, 10],
  [14, 15],
  [10, 10],
  [8, 8],
  [27, 27],
  [40, 40],
])(
  "of windows that begin at 10, 15, 20 and 25 and end at 27, second %d stands at %d",
  (second, at) => {
    expect(nearestBegin([10, 15, 20, 25, 27], second)).toBe(at);
  },
);
