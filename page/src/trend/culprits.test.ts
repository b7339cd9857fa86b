import { expect, test } from "vitest";
import type { Trend, TrendChange } from "../api/trend.ts";
import { culpritsOf, unchangedCount } from "./culprits.ts";

function changeOf(given: Partial<TrendChange>): TrendChange {
  const levels = { loadTestsBefore: 9, loadTestsAfter: 9, before: 0.1, after: 0.2, chance: 0.001 };
  return { loadTestId: "n-9", figure: "p95", ...levels, ...given };
}

const CHANGES: readonly TrendChange[] = [
  changeOf({ loadTestId: "n-12", figure: "errRate", before: 0, after: 0.06 }),
  changeOf({}),
  changeOf({ label: "GET /a", hash: "a", figure: "p99", after: 0.14 }),
  changeOf({ label: "GET /a", hash: "a", figure: "avgLoadTime", after: 0.14 }),
  changeOf({ label: "GET /b", hash: "b", figure: "p95", after: 0.15 }),
  changeOf({ label: "GET /b", hash: "b", figure: "errRate", before: 0.1, after: 0.2 }),
];

test("a run has a row for each endpoint it changed, with the range of statistics", () => {
  const rows = culpritsOf(CHANGES).map(({ change: { loadTestId, label, after }, figures }) => {
    return [loadTestId, label, after, figures];
  });
  expect(rows).toEqual([
    ["n-12", undefined, 0.06, "failed"],
    ["n-9", "GET /b", 0.15, "p95, failed"],
    ["n-9", "GET /a", 0.14, "average to p99"],
  ]);
});

test("endpoints without a change are counted", () => {
  const endpoints = ["a", "b", "c", "d"].map((hash) => ({ hash }));
  expect(unchangedCount({ endpoints, changes: CHANGES } as object as Trend)).toBe(2);
});
