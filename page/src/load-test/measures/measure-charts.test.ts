import { expect, test } from "vitest";
import { gridOf } from "../../charts/grid.ts";
import { valuesOf } from "./measure-charts.tsx";
import type { MeasureLine } from "./measure-groups.ts";

/** 100 bytes a second, asked for every 10 s from second 1009 on, of each host. */
const COUNTER: MeasureLine = {
  key: "received",
  name: "received",
  unit: "By",
  kind: "counter",
  tags: {},
  count: 61,
  from: 1009,
  until: 1609,
};
/** Windows of 10 s. The first one has only its last second: that of the first reading of the counter. */
const GRID = gridOf(1009, 1039, 10);
const pointsOf = (line: MeasureLine, sums: readonly number[], counts: readonly number[]) => {
  const { key, name, unit, kind, tags } = line;
  const labels = [1000, 1010, 1020, 1030];
  const asked = { range: { from: 1009, until: 1039 }, resolution: 10 };
  return new Map([[key, { key, name, unit, kind, tags, labels, sums, counts, asked }]]);
};

test("the growth of a counter is divided by its own time, also in a window that is cut", () => {
  const one = pointsOf(COUNTER, [1000, 1000, 1000, 0], [1, 1, 1, 0]);
  expect(valuesOf(COUNTER, one, GRID).slice(0, 3)).toEqual([100, 100, 100]);
  // Of two interfaces of one host, which the service adds up.
  const both = { ...COUNTER, selector: "received by host", parts: 2 };
  const two = pointsOf(both, [2000, 2000, 2000, 0], [2, 2, 2, 0]);
  expect(valuesOf(both, two, GRID).slice(0, 3)).toEqual([200, 200, 200]);
  // What is left of two processors that are idle for half of each second.
  const idle = { ...both, restOf: 1 };
  const processors = pointsOf(idle, [10, 10, 10, 0], [2, 2, 2, 0]);
  expect(valuesOf(idle, processors, GRID).slice(0, 3)).toEqual([0.5, 0.5, 0.5]);
});
