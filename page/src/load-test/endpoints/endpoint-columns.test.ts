import { expect, test } from "vitest";
import { type SortColumn, columnsWith, fewFor, requestedColumns } from "./endpoint-columns.ts";

const names = (requested: readonly string[], sortedBy: SortColumn = "p95") =>
  columnsWith(requested, sortedBy)
    .map(([, text]) => text)
    .join(" ");

test("columns keep one order, whichever are added and however they are named", () => {
  expect(names([])).toBe("requests throughput failed average p50 p95 p99 max impact");
  expect(names([], "receivedBytesPerSec")).toBe(
    "requests throughput failed average p50 p95 p99 max received/s impact",
  );
  expect(names(requestedColumns("min,p99.9,p90"))).toBe(
    "requests throughput failed average min p50 p90 p95 p99 p99.9 max impact",
  );
  const split = columnsWith([], "p95", true).map(([, text]) => text);
  expect(split.join(" ")).toBe("requests throughput failed average p50 p95 p99 max");
  expect(requestedColumns("p99.9,else,p90")).toEqual(["p90", "p99.9"]);
  expect(requestedColumns(undefined)).toEqual([]);
  expect(columnsWith([], "p95", false, true).map(([, text]) => text)).toContain("p95 change");
});

test.each([
  ["p95", 17, "17 requests: too few for a p95"],
  ["p95", 100, undefined],
  ["change", 17, "17 requests: too few for a p95"],
  ["p99", 499, "499 requests: too few for a p99"],
  ["p999", 4999, "4,999 requests: too few for a p99.9"],
  ["p90", 1, "1 request: too few for a p90"],
  ["p50", 1, undefined],
  ["maxLoadTime", 1, undefined],
] as const)("%s of %d requests: %s", (column, requests, few) => {
  expect(fewFor(column, requests)).toBe(few);
});
