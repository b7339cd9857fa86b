import { expect, test } from "vitest";
import {
  answers,
  bestSheet,
  grainIn,
  requestsIn,
  secondsOf,
  type Sheet,
  type SheetRequest,
} from "./sheet.ts";

const SCOPE = { id: "a", filter: "", hashes: [], from: undefined, until: undefined };
const REQUEST: SheetRequest = {
  scope: SCOPE,
  range: { from: 100, until: 200 },
  version: 1,
  isHeatmap: false,
  resolution: 10,
  countResolution: 10,
  lineResolutions: [],
  lines: [],
};

/** A sheet of what is requested, ten requests in each of its points. */
function sheetOf(differences: Partial<SheetRequest> = {}): Sheet {
  const request = { ...REQUEST, ...differences };
  const { range, resolution } = request;
  const first = range.from - (range.from % resolution);
  const points = Math.ceil((range.until - first) / resolution);
  const labels = Array.from({ length: points }, (_, point) => first + point * resolution);
  const column = labels.map(() => 10);
  const merged = {
    labels,
    count: column,
    errCount: column,
    avgLoadTime: column,
    receivedBytes: column,
    percentileOrigin: "computed" as const,
    percentiles: {},
  };
  return { ...request, recordedSeconds: 1, merged, counts: merged, each: undefined, heatmaps: [] };
}

test.each<[string, Partial<SheetRequest>, boolean]>([
  ["the same", {}, true],
  ["a longer range in the same points", { range: { from: 0, until: 300 } }, true],
  ["a shorter range", { range: { from: 110, until: 200 } }, false],
  ["other points", { resolution: 5 }, false],
  ["other points of counts", { countResolution: 5 }, false],
  ["other points of a line", { lineResolutions: [10] }, false],
  ["other endpoints", { scope: { ...SCOPE, hashes: ["f".repeat(40)] } }, false],
  ["older data", { version: 0 }, false],
  ["more than is requested", { isHeatmap: true }, true],
])("%s: whether that answers", (_, differences, isAnswer) => {
  expect(answers(sheetOf(differences), REQUEST)).toBe(isAnswer);
});

test("a range that cuts a point needs a new request, unless the loaded points are cut there too", () => {
  const longer = sheetOf({ range: { from: 0, until: 300 } });
  expect(answers(longer, { ...REQUEST, range: { from: 103, until: 200 } })).toBe(false);
  expect(answers(longer, { ...REQUEST, range: { from: 100, until: 199 } })).toBe(false);
  const cut = sheetOf({ range: { from: 103, until: 199 } });
  expect(answers(cut, { ...REQUEST, range: { from: 103, until: 150 } })).toBe(true);
});

test("until the response arrives, draws the finest points that cover the range, else any points", () => {
  const [coarse, fine] = [sheetOf({ resolution: 60 }), sheetOf({ resolution: 20 })];
  const elsewhere = sheetOf({ range: { from: 500, until: 600 } });
  const other = sheetOf({ scope: { ...SCOPE, id: "b" } });
  expect(bestSheet([elsewhere, coarse, fine, other], REQUEST)).toBe(fine);
  expect(bestSheet([other, elsewhere], REQUEST)).toBe(elsewhere);
  expect(bestSheet([other], REQUEST)).toBe(other);
  expect(bestSheet([], REQUEST)).toBeUndefined();
});

test("the requests in a part of a range are known from the whole range", () => {
  const whole = sheetOf({ range: { from: 0, until: 300 } });
  expect(requestsIn([whole], REQUEST)).toEqual([100]);
  expect(requestsIn([whole], { ...REQUEST, range: { from: 0, until: 400 } })).toBeUndefined();
});

test("of endpoints that have lines, the requests of each are known", () => {
  const hashes = ["a".repeat(40), "b".repeat(40)];
  const scope = { ...SCOPE, hashes };
  const lines = hashes.map((key) => ({ key, part: { hashes: [key] } }));
  const range = { from: 0, until: 300 };
  const sheet = sheetOf({ scope, lines, range, lineResolutions: [10, 60] });
  const each = [{ ...sheet.merged, hash: hashes[1] ?? "" }];
  const request = { ...REQUEST, scope, lines };
  expect(requestsIn([{ ...sheet, each }], request)).toEqual([0, 100]);
  expect(requestsIn([{ ...sheet, each }], { ...request, isHeatmap: true })).toEqual([100]);
});

test("percentiles that are not computed need no number of requests", () => {
  const sheet = sheetOf();
  const merged = { ...sheet.merged, percentileOrigin: "reported" as const };
  expect(requestsIn([{ ...sheet, counts: merged }], REQUEST)).toEqual([Infinity]);
});

test("points are no finer than the finest source, once that is known", () => {
  const fine = sheetOf({ resolution: 2 });
  const told = { ...fine, merged: { ...fine.merged, windows: [10, 15, 10] } };
  expect(grainIn([fine], REQUEST)).toBe(1);
  expect(grainIn([fine, told], REQUEST)).toBe(10);
  expect(grainIn([{ ...fine, recordedSeconds: 10 }], REQUEST)).toBe(10);
  // Another source records each second; its points must not be lost.
  const mixed = { ...fine, merged: { ...fine.merged, windows: [10, 2, 10] } };
  expect(grainIn([mixed], REQUEST)).toBe(1);
  expect(grainIn([told], { scope: { ...SCOPE, id: "b" }, lines: [] })).toBe(1);
});

test("points of sources with windows cover all seconds of their windows", () => {
  const cut = sheetOf({ range: { from: 103, until: 161 } });
  const whole = { from: 0, until: 1000 };
  expect(secondsOf(cut, whole)).toEqual({ from: 103, until: 161 });
  expect(secondsOf({ ...cut, recordedSeconds: 10 }, whole)).toEqual({ from: 100, until: 170 });
});

test("no point covers seconds before or after the run", () => {
  const sheet = { ...sheetOf({ range: { from: 103, until: 161 } }), recordedSeconds: 10 };
  expect(secondsOf(sheet, sheet.range)).toEqual({ from: 103, until: 161 });
});
