import { expect, test } from "vitest";
import { sparkArea, sparkPath, sparkBoxes } from "./spark-path.ts";

test("a line is made of steps, from 0 to the largest value, and breaks at a gap", () => {
  expect(sparkPath([1, 2, null, 0], 40, 11)).toBe("M0 5.5H10V0.5H20M30 10.5H40");
});

test("an area reaches down to the baseline and is empty where there is no data", () => {
  expect(sparkArea([2, null], 20, 11)).toBe("M0 11V1h10V11");
  expect(sparkArea([0, 0], 20, 11)).toBe("");
});

test("boxes are drawn where there is data, at least two pixels wide", () => {
  const boxes = sparkBoxes([0, 3, null, 1], 4, (value) => ({ top: 18, height: value }));
  expect(boxes).toBe("M1 18h2v3h-2zM3 18h2v1h-2z");
});
