import { expect, test } from "vitest";
import type { Series } from "../../api/figures.ts";
import {
  type BaselineSeries,
  baselineRequests,
  baselineTimes,
  withBaseline,
} from "./baseline-lines.ts";

/** A baseline from 103 to 123 s, in points of 10 s: 100, 110, 120. */
function base(shiftSeconds: number): BaselineSeries {
  const series = {
    labels: [100, 110, 120],
    count: [14, 30, 6],
    percentiles: { p50: [0.1, 0.2, 0.3], p95: [1, 2, 3] },
  } as unknown as Series;
  return {
    id: "base",
    subject: "",
    shiftSeconds,
    range: { from: 103, until: 123 },
    resolution: 10,
    merged: series,
    countResolution: 10,
    counts: series,
  };
}

test("values of the baseline stand at the same time since the start", () => {
  // A run that began 900 s later: its second 1003 is the baseline's 103.
  const line = baselineTimes([1003, 1010, 1020, 1023], base(900));
  expect(line.values).toEqual([1, 2, 3, 3]);
  expect(line.downTo).toEqual([0.1, 0.2, 0.3, 0.3]);
});

test("with a band the baseline is one line of the same statistic, which the band does not cover", () => {
  const line = baselineTimes([1003, 1010, 1020, 1023], base(900), "p50");
  expect(line.text).toBe("baseline p50");
  expect(line.values).toEqual([0.1, 0.2, 0.3, 0.3]);
  const band = { name: "band", values: [], downTo: [], color: "--area-edge" };
  expect(withBaseline([band], line)).toEqual([band, line]);
  const area = baselineTimes([1003, 1010], base(900));
  expect(withBaseline([band], area)).toEqual([area, band]);
});

test("a point cut by the start or the end has the rate of itself and the one beside it", () => {
  // 14 requests in 7 s, 30 in 10 s, 6 in 3 s.
  const [first, last] = [44 / 17, 36 / 13];
  const { values } = baselineRequests([1003, 1010, 1020, 1023], base(900), true);
  expect(values).toEqual([first, 3, last, last]);
});

test("a window takes the value in effect at its middle", () => {
  // The middles, 1005 and 1015, are the baseline's 110 and 120.
  expect(baselineRequests([1000, 1010, 1020], base(895), true).values).toEqual([
    3,
    36 / 13,
    36 / 13,
  ]);
});

test("nothing is drawn before and after the baseline", () => {
  const { values } = baselineTimes([1000, 1003, 1023, 1030], base(900));
  expect(values).toEqual([null, 2, null, null]);
});
