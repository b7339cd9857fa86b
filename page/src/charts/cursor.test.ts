import { expect, test } from "vitest";
import { duration } from "../format/numbers.ts";
import { between } from "./cursor.ts";
import { windowAt } from "./draw-chart.ts";

test.each([
  [0.224, 0.251, "224 to 251 ms"],
  [0.9, 1.2, "900 ms to 1.20 s"],
])("from %d to %d s is %s", (low, high, text) => {
  const { digits, unit } = between(duration(low), duration(high));
  expect(`${digits} ${unit}`).toBe(text);
});

test.each([
  [99, 0],
  [100, 0],
  [104.9, 0],
  [105, 1],
  [112, 2],
  [113, 2],
])(
  "of windows that begin at 100, 105 and 110 and end at 113, second %d is in number %d",
  (second, index) => {
    expect(windowAt([100, 105, 110, 113], second)).toBe(index);
  },
);
