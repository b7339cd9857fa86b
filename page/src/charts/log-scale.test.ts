import { expect, test } from "vitest";
import { apart, logScale, roundDown, roundUp } from "./log-scale.ts";

test("equal ratios are equally wide, and values outside are clamped to the ends", () => {
  const { at } = logScale(0.1, 10, 40, 240);
  // Two decades on 200 pixels; 10^0.5 lies three quarters of the way.
  expect([0.1, 1, 10 ** 0.5, 10].map((each) => Math.round(at(each)))).toEqual([40, 140, 190, 240]);
  expect([0.01, 0, 99].map((each) => Math.round(at(each)))).toEqual([40, 40, 240]);
});

test.each([
  [0.02, 0.02, 0.02],
  [0.0213, 0.02, 0.05],
  [0.07, 0.05, 0.1],
  [1, 1, 1],
  [1.9, 1, 2],
  [4999, 2000, 5000],
])("%d lies between %d and %d", (value, down, up) => {
  expect([roundDown(value), roundUp(value)]).toEqual([down, up]);
});

test("ticks that would touch a tick requested earlier are left out", () => {
  // At 0, 50, 100 and 15 pixels.
  const scale = logScale(1, 100, 0, 100);
  expect(apart([1, 10, 100, 2], scale, 40)).toEqual([1, 10, 100]);
  expect(apart([2, 1, 10], scale, 16)).toEqual([2, 10]);
});
