import { expect, test } from "vitest";
import { gridOf } from "../../charts/grid.ts";
import { endpointLines, hasLines, statisticOf } from "./endpoint-lines.ts";

const SERIES = ["a", "b"].map((hash, index) => ({
  hash,
  label: `GET /${hash}`,
  labels: [100],
  count: [1],
  errCount: [0],
  avgLoadTime: [index],
  receivedBytes: [0],
  percentileOrigin: "computed" as const,
  percentiles: { p95: [index + 10] },
}));

const linesOf = (hashes: readonly string[]) =>
  hashes.map((key) => ({ key, part: { hashes: [key] } }));

test("lines follow the order of the selection and keep their colours if one has no data", () => {
  const grid = gridOf(100, 101, 1);
  const lines = endpointLines(grid, SERIES, linesOf(["b", "gone", "a"]), "p95");
  expect(lines.map(({ text, color, values }) => [text, color, values[0]])).toEqual([
    ["GET /b", "--s1", 11],
    ["GET /a", "--s3", 10],
  ]);
  expect(endpointLines(grid, SERIES, linesOf(["b"]), "average")[0]?.values[0]).toBe(1);
});

test("the fifth line is the first dashed one", () => {
  const hashes = ["1", "2", "3", "a", "b"];
  const [fourth, fifth] = endpointLines(gridOf(100, 101, 1), SERIES, linesOf(hashes), "p95");
  expect([fourth?.dash, fifth?.dash]).toEqual([undefined, [6, 3]]);
});

test.each([
  [0, false],
  [1, false],
  [2, true],
  [8, true],
  [9, false],
])("%d endpoints have lines of their own: %s", (selected, expected) => {
  expect(hasLines(Array.from({ length: selected }, String))).toBe(expected);
});

test("an unknown statistic becomes p95", () => {
  expect([statisticOf("p50"), statisticOf("p1"), statisticOf(undefined)]).toEqual([
    "p50",
    "p95",
    "p95",
  ]);
});
