import { expect, test } from "vitest";
import { clockTicks, logTicks, valueTicks } from "./ticks.ts";

const DAY = 86_400;

test.each([
  [100, 700, 7, [120, 240, 360, 480, 600]],
  [0, 60, 12, [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]],
  // Of 30 days; a run that also has a request of 1970 has 20,000.
  [0, 30 * DAY, 10, Array.from({ length: 11 }, (_, at) => at * 3 * DAY)],
])("ticks of %d to %d, at most %d, fall on full steps of the clock", (from, until, most, ticks) => {
  expect(clockTicks(from, until, most)).toEqual(ticks);
});

test.each([
  [0, [0]],
  [2.2, [0, 0.5, 1, 1.5, 2]],
  [0.3, [0, 0.1, 0.2, 0.3]],
  [1000, [0, 200, 400, 600, 800, 1000]],
])("values up to %d have the ticks %j", (max, ticks) => {
  expect(valueTicks(max)).toEqual(ticks);
});

test.each([
  [0.03, 2.2, 160, [0.05, 0.1, 0.2, 0.5, 1, 2]],
  [0.0008, 8, 160, [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]],
  [0.0008, 8, 150, [0.001, 0.01, 0.1, 1]],
])(
  "a logarithmic axis from %d to %d, %d pixels high, has the ticks %j",
  (min, max, pixels, ticks) => {
    expect(logTicks(min, max, pixels)).toEqual(ticks);
  },
);

test.each([
  [250, 3, [0, 100, 200]],
  [310, 3, [0, 100, 200, 300]],
  [900, 3, [0, 250, 500, 750]],
  [0.41, 3, [0, 0.2, 0.4]],
])("values up to %d in a low chart have at most %d ticks besides 0: %j", (max, most, ticks) => {
  expect(valueTicks(max, most)).toEqual(ticks);
});

test.each([
  [10, -5, [-5, 0, 5, 10]],
  [0, -40, [-40, -30, -20, -10, 0]],
  [2, -7, [-6, -4, -2, 0, 2]],
])("values up to %d and down to %d have the ticks %j", (max, min, ticks) => {
  expect(valueTicks(max, 5, min)).toEqual(ticks);
});

test("ticks of a shifted clock fall on its full steps", () => {
  expect(clockTicks(100, 700, 7, 11)).toEqual([131, 251, 371, 491, 611]);
});
