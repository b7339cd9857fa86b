import { expect, test } from "vitest";
import type { Distribution } from "../api/comparison.ts";
import { logScale } from "../charts/log-scale.ts";
import { curvePath, timeAtShare, timesShown, timeTicks } from "./curve-points.ts";

function distribution(...pairs: readonly (readonly [time: number, requests: number])[]) {
  const [times, counts] = [pairs.map(([time]) => time), pairs.map(([, requests]) => requests)];
  return { times, counts } as unknown as Distribution;
}

const FOUR = distribution([0.1, 2], [0.2, 1], [1, 1]);

test.each([
  [0, 0.1],
  [0.5, 0.1],
  [0.51, 0.2],
  [0.75, 0.2],
  [0.95, 1],
  [1, 1],
])("the share %d of four requests took at most %d s", (share, time) => {
  expect(timeAtShare(FOUR, share)).toBe(time);
});

test("a curve rises by the share of each time, where that stands on the axis", () => {
  // One decade on 100 pixels: 0.2 s stands at log10(2) of it.
  const x = logScale(0.1, 1, 0, 100);
  expect(curvePath(FOUR, x, (share) => 100 - 100 * share)).toBe("M0 100H0V50H30.1V25H100V0H100");
});

test("both curves are shown from and to round times, but for the last one in two hundred requests", () => {
  const later = distribution([0.03, 1], [0.4, 2000], [9, 1]);
  expect(timesShown([FOUR, later])).toEqual({ low: 0.1, high: 1 });
  expect(timesShown([distribution([0.2, 5])])).toEqual({ low: 0.2, high: 0.5 });
  expect(timesShown([distribution([0, 5], [0.004, 5])])).toEqual({ low: 0.002, high: 0.005 });
  expect(timesShown([distribution([0, 5])])).toEqual({ low: 1e-6, high: 2e-6 });
  expect(timesShown([distribution(), distribution()])).toBeUndefined();
});

test("times along the axis do not overlap", () => {
  expect(timeTicks(logScale(0.02, 1, 0, 400))).toEqual([0.02, 0.05, 0.1, 0.2, 0.5, 1]);
  expect(timeTicks(logScale(0.02, 1, 0, 200))).toEqual([0.02, 0.05, 0.2, 0.5]);
});
