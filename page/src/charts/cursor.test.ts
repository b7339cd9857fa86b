import { expect, test } from "vitest";
import { duration } from "../format/numbers.ts";
import { between, cursorText } from "./cursor.ts";
import { windowAt } from "./draw-chart.ts";
import type { TimeChartProps } from "./time-chart-props.ts";

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

test("a gap is read out as one of values: there may have been requests where a processor was not measured", () => {
  const lines = [{ name: "cpu", values: [0.224, null], color: "" }];
  const drawn = { lines, seconds: [10, 20, 30], hidden: new Set(), formatTime: String };
  const props = { ...drawn, formatValue: duration } as unknown as TimeChartProps;
  expect([0, 1].map((index) => cursorText(props, index))).toEqual([
    "10: cpu 224 ms",
    "20: no values",
  ]);
});
