import { expect, test } from "vitest";
import { gridOf } from "../../charts/grid.ts";
import { peaksOn } from "./use-peaks.ts";

test("a point has the highest of its seconds, and none where there were no requests", () => {
  const labels = [100, 101, 104, 105, 112];
  const p99 = [0.2, 2, 0.3, null, 0.4];
  const peaks = { seconds: 1, labels, p99 };
  expect(peaksOn(gridOf(100, 115, 5), peaks, 5)).toEqual([2, null, 0.4, 0.4]);
});
