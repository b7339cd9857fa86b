import { expect, test } from "vitest";
import { longEnough, panned, stretchOf, withSilence, zoomed } from "./range.ts";

const WHOLE = { from: 1000, until: 1600 };

test.each([
  ["to the right", 0.25, 1225],
  ["to the left", -0.5, 1150],
  ["beyond the end", 9, 1500],
  ["beyond the begin", -9, 1000],
])("a range is moved %s", (_, share, from) => {
  const moved = panned({ from: 1200, until: 1300 }, share, WHOLE);
  expect(moved).toEqual({ from, until: from + 100 });
});

test.each([
  [0.5, { from: 1225, until: 1275 }],
  [2, { from: 1150, until: 1350 }],
  [100, WHOLE],
  [0.001, { from: 1248, until: 1253 }],
])("a range made %d times as long keeps its middle", (factor, expected) => {
  expect(zoomed({ from: 1200, until: 1300 }, factor, WHOLE)).toEqual(expected);
});

test("a range at the edge stays inside", () => {
  expect(zoomed({ from: 1000, until: 1100 }, 2, WHOLE)).toEqual({ from: 1000, until: 1200 });
});

test.each([
  ["that ends before the newest second", { from: 1200, until: 1500 }, 1700, 1500],
  ["up to the newest second", { from: 1500, until: 1600 }, 1620.5, 1621],
  ["at most half as long again", { from: 1500, until: 1600 }, 9999, 1650],
  ["and a clock that is behind", { from: 1500, until: 1600 }, 1590, 1600],
])("empty space is drawn after a range %s", (_, range, nowSecond, until) => {
  expect(withSilence(range, WHOLE, nowSecond)).toEqual({ from: range.from, until });
});

test("a range has some seconds", () => {
  expect(longEnough({ from: 10, until: 11 })).toEqual({ from: 10, until: 15 });
});

test.each([
  ["1500-1540", { from: 1500, until: 1540 }],
  ["1540-1500", undefined],
  ["1500", undefined],
  ["x", undefined],
  ["", undefined],
])("%s in the URL is the range %j", (text, stretch) => {
  expect(stretchOf(text)).toEqual(stretch);
});
