import { expect, test } from "vitest";
import type { LoadTest } from "../api/load-tests.ts";
import { nextOrder, runOrderOf, sortedRuns } from "./sort-runs.ts";

const RUNS = [
  { id: "c", name: "beta", from: 300, until: 310, requests: 10, failedRequests: 1 },
  { id: "b", name: "Alpha", from: 200, until: 290, requests: 0, failedRequests: 0 },
  { id: "a", name: "beta", from: 100, until: 150, requests: 40, failedRequests: 2 },
].map((run): LoadTest => ({
  ...run,
  formats: ["k6-csv"],
  createdAt: "2026-11-21T10:00:00Z",
  tags: run.id === "b" ? ["thresholds-failed"] : [],
  pinned: false,
  environment: null,
  description: null,
  properties: {},
  links: {},
  secondsPerPoint: 1,
  finishedAt: null,
  lastDataAt: null,
  endpoints: 1,
}));

/** Of `b` none is known. */
const DIGESTS = new Map(
  [["a", 0.2] as const, ["c", 0.1] as const].map(([id, p95]) => [
    id,
    { id, p95, resolution: 1, labels: [], count: [], errCount: [] },
  ]),
);

test.each([
  ["name", undefined, "bca"],
  ["name", "descending", "cab"],
  ["started", "ascending", "abc"],
  ["lasted", undefined, "bac"],
  ["requests", undefined, "acb"],
  ["failed", undefined, "cab"],
  ["failed", "ascending", "acb"],
  ["thresholds", undefined, "bca"],
  ["p95", undefined, "acb"],
  ["p95", "ascending", "cab"],
  [undefined, undefined, "cba"],
])("by %s %s the runs are %s", (column, order, ids) => {
  const runs = sortedRuns(RUNS, runOrderOf(column, order), DIGESTS);
  expect(runs.map(({ id }) => id).join("")).toBe(ids);
});

test("a click on the sorted column reverses it, and the default is not in the URL", () => {
  expect(nextOrder(runOrderOf(undefined, undefined), "requests")).toEqual({ sort: "requests" });
  expect(nextOrder(runOrderOf("requests", undefined), "requests")).toEqual({
    sort: "requests",
    order: "ascending",
  });
  expect(nextOrder(runOrderOf("requests", undefined), "started")).toEqual({});
});
