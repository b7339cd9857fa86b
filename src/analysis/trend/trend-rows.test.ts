import { expect, test } from "vitest";
import { hashOfLabel } from "../../series/endpoint-selection.ts";
import { TrendRows } from "./trend-rows.ts";

function figures(count: number) {
  return {
    count,
    errCount: 0,
    errRate: 0,
    avgLoadTime: 1,
    untimedCount: 0,
    errAvgLoadTime: null,
    minLoadTime: 1,
    maxLoadTime: 1,
    p50: 1,
    p90: 1,
    p95: 1,
    p99: 1,
    p999: 1,
    percentileOrigin: "computed" as const,
    receivedBytes: 0,
    downloadSize: 0,
    errDownloadSize: 0,
    reqPerSec: 0,
    receivedBytesPerSec: 0,
    range: 0,
  };
}

const endpoint = (label: string, count: number) => {
  return { label, hash: hashOfLabel(label), ...figures(count) };
};

test("the busiest hundred endpoints are returned by label, the others are counted", () => {
  const rows = new TrendRows(1);
  const endpoints = Array.from({ length: 130 }, (_, index) => endpoint(`e${index}`, index + 1));
  rows.add(0, figures(9), endpoints);
  const labels = rows.endpoints(100).map(({ label }) => label);
  expect(labels).toHaveLength(100);
  expect(labels).toEqual(labels.toSorted());
  expect(labels).toContain("e30");
  expect(labels).not.toContain("e29");
  expect(rows.leftOutBeyond(100)).toBe(30);
});

test("labels over the limit are counted, and those of the latest run have priority", () => {
  const rows = new TrendRows(2);
  const latest = Array.from({ length: 1500 }, (_, index) => endpoint(`now ${index}`, index + 1));
  rows.add(1, figures(9), latest);
  rows.add(0, figures(9), [endpoint("then", 1_000_000), endpoint("now 1499", 1)]);
  const busiest = rows.endpoints(100).find(({ label }) => label === "now 1499");
  expect(busiest?.count).toEqual([1, 1500]);
  expect(rows.endpoints(100).some(({ label }) => label === "then")).toBe(false);
  expect(rows.leftOutBeyond(100)).toBe(900 + 500);
});

test("a label within the limit has a value wherever it has requests, however few", () => {
  const rows = new TrendRows(2);
  rows.add(1, figures(9), [endpoint("rare", 1)]);
  const others = Array.from({ length: 1200 }, (_, index) => endpoint(`other ${index}`, 1_000));
  rows.add(0, figures(9), [...others, endpoint("rare", 200_000), endpoint("rarer", 1)]);
  const busiest = rows.endpoints(100).find(({ label }) => label === "rare");
  expect(busiest?.count).toEqual([200_000, 1]);
  // 999 of the others have room; 100 of all are answered.
  expect(rows.leftOutBeyond(100)).toBe(900 + 201 + 1);
});
