import { expect, test } from "vitest";
import type { Series } from "../api/figures.ts";
import { aligned } from "./aligned-lines.ts";

function series(...points: readonly (readonly [second: number, requests: number])[]): Series {
  return {
    labels: points.map(([second]) => second),
    count: points.map(([, requests]) => requests),
    errCount: [],
    avgLoadTime: [],
    receivedBytes: [],
    percentileOrigin: "computed" as const,
    percentiles: {},
  };
}

const requests = (own: Series, point: number): number => own.count[point] as number;

/** From 102 to 113: windows begin at 102 (2 of their 5 s gone), 105 and 110. */
const BASE = {
  series: series([100, 1], [105, 2], [110, 3]),
  start: 102,
  range: { from: 102, until: 113 },
};

test("both runs begin at 0, and each keeps its own clock windows", () => {
  const later = {
    series: series([500, 7], [505, 8]),
    start: 500,
    range: { from: 500, until: 510 },
  };
  expect(aligned([BASE, later], 5, requests)).toEqual({
    // Windows of the base begin at 0, 3 and 8 and end at 11; the later's at 0 and 5, and end at 10.
    seconds: [0, 3, 5, 8, 10, 11],
    values: [
      [1, 2, 2, 3, 3, 3],
      [7, 7, 8, 8, null, null],
    ],
  });
});

test("seconds skipped at the start are skipped in both runs, and a gap stays a gap", () => {
  const later = {
    series: series([505, 8], [515, 9]),
    start: 500,
    range: { from: 505, until: 520 },
  };
  const base = { ...BASE, range: { from: 107, until: 113 } };
  expect(aligned([base, later], 5, requests)).toEqual({
    seconds: [5, 8, 10, 11, 15, 20],
    values: [
      [2, 3, 3, null, null, null],
      [8, 8, null, null, 9, 9],
    ],
  });
});

function perSecond(own: Series, point: number, seconds: number): number {
  return requests(own, point) / seconds;
}

test("rates divide by the seconds of the window that are shown", () => {
  const side = { ...BASE, range: { from: 102, until: 105 } };
  const { values } = aligned([side, side], 5, perSecond);
  expect(values[0]).toEqual([1 / 3, 1 / 3]);
});
