import { expect, test } from "vitest";
import { choicesFor, chosenSecondsOf, pointsText, resolutionsOf } from "./resolutions.ts";

/** Half an hour, 352 points of three pixels. */
const REQUEST = {
  hashes: [] as string[],
  lines: [],
  range: { from: 0, until: 1800 },
  isHeatmap: false,
  chosenSeconds: undefined as number | undefined,
  widthPixels: 1056,
  grainSeconds: 1,
};
const [BUSY, USUAL, RARE] = ["a", "b", "c"] as [string, string, string];

test("counts are as fine as can be drawn, however few the requests", () => {
  // 1,800 requests: 100 of them take 100 s, of which a range of 1,800 s has too few points.
  expect(resolutionsOf(REQUEST, [1800])).toEqual({
    resolution: 60,
    countResolution: 10,
    lineResolutions: [],
  });
});

test("each line has points by its own requests, and a rare endpoint coarsens no other", () => {
  const hashes = [BUSY, USUAL, RARE];
  // 100 requests take 5, 25 and 3,600 s.
  expect(resolutionsOf({ ...REQUEST, hashes }, [36_000, 7200, 50])).toEqual({
    resolution: 10,
    countResolution: 10,
    lineResolutions: [10, 30, 60],
  });
});

test.each([10, 600, 7200, 36_000])(
  "39 s are drawn at most two minutes wide, also of %d requests in half an hour",
  (requests) => {
    const { lineResolutions } = resolutionsOf({ ...REQUEST, hashes: [BUSY, RARE] }, [
      requests,
      requests,
    ]);
    for (const seconds of lineResolutions) {
      expect(Math.ceil(39 / seconds + 1) * seconds).toBeLessThanOrEqual(120);
    }
  },
);

test("lines share one grid", () => {
  // 100 requests take 2 s and 5 s; points of 5 s would not begin with those of 2 s.
  const request = { ...REQUEST, range: { from: 0, until: 600 }, hashes: [BUSY, USUAL] };
  expect(resolutionsOf(request, [30_000, 12_000]).lineResolutions).toEqual([2, 10]);
});

test("the chosen resolution applies to all points if the range has enough of them", () => {
  const chosen = { ...REQUEST, hashes: [BUSY, RARE], chosenSeconds: 30 };
  expect(resolutionsOf(chosen, [36_000, 50])).toEqual({
    resolution: 30,
    countResolution: 30,
    lineResolutions: [30, 30],
  });
  expect(resolutionsOf({ ...chosen, chosenSeconds: 3600 }, [36_000, 50]).countResolution).toBe(10);
});

test("a resolution can be chosen if the range has 2 to 3,600 points at it", () => {
  expect(choicesFor({ from: 0, until: 60 }, 1)).toEqual([1, 2, 5, 10, 15, 30]);
  expect(choicesFor({ from: 0, until: 7200 }, 1)[0]).toBe(2);
  expect(choicesFor({ from: 0, until: 60 }, 10)).toEqual([10, 30]);
});

test.each([
  ["10", 10],
  ["7", undefined],
  ["", undefined],
])("resolution=%s in the address chooses %s", (text, seconds) => {
  expect(chosenSecondsOf(new Map([["resolution", text]]))).toBe(seconds);
});

test.each([
  [5, 5, [], "5 s per point"],
  [30, 5, [], "5 s per point, p95 30 s"],
  [5, 5, [5, 5], "5 s per point"],
  [5, 5, [5, 60, 30], "5 s per point, p95 5 s to 1 min"],
  [1800, 900, [], "15 min per point, p95 30 min"],
])(
  "points of %d s, of counts %d s, of lines %j: %s",
  (resolution, countResolution, lines, text) => {
    expect(pointsText({ resolution, countResolution, lineResolutions: lines })).toBe(text);
  },
);
