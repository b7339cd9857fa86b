import { expect, test } from "vitest";
import type { Trend, TrendChange } from "../api/trend.ts";
import {
  changedAt,
  failedLines,
  loadTestAt,
  placesOf,
  subjectOf,
  timeLines,
} from "./trend-lines.ts";

const VALUES = {
  count: [10, 10, 10, 10],
  errRate: [0, 0, 0, 0.5],
  avgLoadTime: [0.1, 0.1, 0.2, 0.2],
  p50: [0.1, 0.1, 0.2, null],
  p95: [0.1, 0.1, 0.2, 0.2],
  p99: [0.1, 0.1, 0.2, 0.2],
};

function change(loadTestId: string, before: number, after: number): TrendChange {
  const levels = { loadTestsBefore: 1, loadTestsAfter: 1, before, after };
  return { loadTestId, figure: "p95", chance: 0, ...levels };
}

const TREND: Trend = {
  loadTests: ["a", "b", "c", "d"].map((id) => ({ id, name: "n", startedAt: 1, quality: [] })),
  leftOut: { loadTests: 0, endpoints: 0 },
  changes: [
    change("d", 0.3, 0.2),
    { ...change("c", 1, 2), hash: "h" },
    { ...change("d", 1, 2), figure: "p50" },
    change("b", 0.1, 0.3),
  ],
  overall: VALUES,
  endpoints: [{ ...VALUES, label: "GET /", hash: "h", p95: [1, 1, 2, 2] }],
};

test("runs are placed at whole numbers, in the middle of their slot", () => {
  expect(placesOf(2)).toEqual([-0.5, 0.5, 1.5]);
  expect(placesOf(2).map(loadTestAt)).toEqual([0, 1, 2]);
});

test("a figure that changed has its levels drawn, with the load test that brought each of them", () => {
  const lines = timeLines(TREND, subjectOf(TREND, undefined), new Set());
  const level = lines.find(({ name }) => name === "level of p95");
  expect(level?.values).toEqual([0.1, 0.3, 0.3, 0.2, 0.2]);
  expect(level?.isPreview).toBe(true);
  expect(lines.map(({ name }) => name)).toEqual([
    "level of p95",
    "level of p50",
    "p99",
    "p95",
    "average",
    "p50",
  ]);
  expect(lines.at(-1)?.values).toEqual([0.1, 0.1, 0.2, null, null]);
  expect(failedLines(TREND, subjectOf(TREND, undefined))).toHaveLength(1);
});

test("a level has the gaps of its figure", () => {
  const values = { ...VALUES, p95: [null, 0.1, null, 0.3] };
  const changes = [change("d", 0.1, 0.3)];
  const [level] = timeLines(TREND, { hash: "h", values, changes }, new Set());
  expect(level?.values).toEqual([null, 0.1, null, 0.3, 0.3]);
});

test("hiding a line hides its levels", () => {
  const lines = timeLines(TREND, subjectOf(TREND, undefined), new Set(["p95"]));
  expect(lines.some(({ name }) => name === "level of p95")).toBe(false);
});

test("an endpoint has its own values and changes; an unknown endpoint means the overall values", () => {
  const subject = subjectOf(TREND, "h");
  expect(subject.values.p95).toEqual([1, 1, 2, 2]);
  expect(changedAt(TREND, subject)).toEqual([2]);
  expect(subjectOf(TREND, "gone").values).toBe(VALUES);
  expect(changedAt(TREND, subjectOf(TREND, undefined))).toEqual([3, 1]);
});
