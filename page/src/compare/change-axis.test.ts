import { expect, test } from "vitest";
import { changeAxis } from "./change-axis.ts";

test("without differences the axis goes from 30 % less to 50 % more, and 0 is marked", () => {
  const { at, ticks } = changeAxis([{}], 216);
  expect([at(-0.3), at(0.5)].map(Math.round)).toEqual([8, 208]);
  // ln(1 / 0.7) of ln(1.5 / 0.7), on 200 pixels.
  expect(at(0)).toBeCloseTo(8 + (200 * Math.log(1 / 0.7)) / Math.log(1.5 / 0.7), 9);
  expect(ticks).toContain(0);
});

test("all dots are on the axis, and a doubling is as far from 0 as a halving", () => {
  const { at, ticks } = changeAxis([{ change: 1 }, { change: -0.5 }], 216);
  expect(at(1) - at(0)).toBeCloseTo(at(0) - at(-0.5), 9);
  expect(at(1)).toBeLessThan(208);
  expect(ticks).toEqual([-0.5, 0, 1]);
});

test("whiskers and dots beyond the axis are clamped to its ends", () => {
  const { at } = changeAxis([{ change: 99, high: 200 }], 216);
  expect([at(99), at(-1)].map(Math.round)).toEqual([208, 8]);
});
