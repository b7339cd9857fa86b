import { expect, test } from "vitest";
import {
  cellAt,
  columnsWithin,
  fullestCell,
  placeOnRamp,
  rampOf,
  withWholeMilliseconds,
} from "./heat-cells.ts";

const HEATMAP = {
  resolution: 5,
  labels: [100, 110],
  rows: [0.1, 0.2, 0.4],
  cells: [
    [
      [0, 6],
      [1, 2],
    ],
    [[1, 9]],
  ],
} as const;

test("a cell states its range, its requests and how many requests of its column took longer", () => {
  expect(cellAt(HEATMAP, 100, 0.15)).toEqual({
    range: [0.1, 0.2],
    requests: 6,
    all: 8,
    slower: 0.25,
  });
  expect(cellAt(HEATMAP, 110, 0.15)).toMatchObject({ requests: 0, all: 9, slower: 1 });
});

test.each([
  ["a second without requests", 105, 0.15],
  ["a time below all rows", 100, 0.05],
  ["a time above all rows", 100, 0.4],
])("%s has no cell", (_, second, time) => {
  expect(cellAt(HEATMAP, second, time)).toBeUndefined();
});

test("colours scale with the square root, and a single request is visible", () => {
  expect(fullestCell(HEATMAP)).toBe(9);
  expect(placeOnRamp(9, 9)).toBe(1);
  expect(placeOnRamp(25, 100)).toBe(0.5);
  expect(placeOnRamp(1, 10_000)).toBe(0.18);
});

test("a ramp starts and ends with its stops and is even between them", () => {
  expect(rampOf(["rgb(0, 0, 0)", "rgb(0, 100, 200)", "rgb(255, 255, 255)"], 5)).toEqual([
    "rgb(0 0 0)",
    "rgb(0 50 100)",
    "rgb(0 100 200)",
    "rgb(128 178 228)",
    "rgb(255 255 255)",
  ]);
});

test("only columns that overlap the range remain", () => {
  expect(columnsWithin(HEATMAP, 100, 200)).toBe(HEATMAP);
  expect(columnsWithin(HEATMAP, 104, 110)).toMatchObject({
    labels: [100],
    cells: [HEATMAP.cells[0]],
  });
  expect(columnsWithin(HEATMAP, 105, 111)).toMatchObject({
    labels: [110],
    cells: [HEATMAP.cells[1]],
  });
});

/** Lower bounds of rows 12 % high, from 0.1 ms to 100 ms, as the service returns them. */
const FLOORS = Array.from({ length: 61 }, (_, row) => 10 ** (row / 20) / 10_000);

/** A column with one request at each of these times, in milliseconds. */
function heatmapOf(times: readonly number[]) {
  const cells = times.map(
    (time) => [FLOORS.findLastIndex((floor) => floor <= (time / 1000) * 1.0001), 1] as const,
  );
  return { resolution: 1, labels: [100], rows: FLOORS, cells: [cells] };
}

test("times in whole milliseconds have a row each below 10 ms, and none between them", () => {
  const times = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 50];
  const { rows, cells } = withWholeMilliseconds(heatmapOf(times));
  expect(rows.filter((floor) => floor < 0.0105).map((floor) => Math.round(floor * 1e6))).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((time) => time * 1000),
  );
  const floors = cells[0]?.map(([row, requests]) => [Math.round((rows[row] ?? 0) * 1e3), requests]);
  expect(floors?.slice(0, 10)).toEqual(times.slice(0, 10).map((time) => [time, 1]));
});

test.each([[[1, 2, 3, 3.5]], [[0.3, 5]], [[1, 1.4, 7.5]]])(
  "times finer than milliseconds, %j, keep their rows",
  (times) => {
    const heatmap = heatmapOf(times);
    expect(withWholeMilliseconds(heatmap)).toBe(heatmap);
  },
);
