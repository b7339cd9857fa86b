import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { modesOf, wallOf } from "./heat-shape.ts";

const random = seededRandom(3);

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function drawn(count: number, medianMs: number, spread: number): number[] {
  return Array.from({ length: count }, () => medianMs * Math.exp(spread * normal()));
}

function rowOf(ms: number): number {
  return Math.floor(20 * Math.log10(Math.max(1, Math.round(ms))));
}

/** A heatmap column of requests with these response times in whole milliseconds. */
function heatmapOf(elapsedMs: readonly number[]) {
  const indexes = elapsedMs.map(rowOf);
  const [first, last] = [Math.min(...indexes), Math.max(...indexes)];
  const rows = Array.from(
    { length: last - first + 2 },
    (_, row) => 10 ** ((first + row) / 20) / 1000,
  );
  const counts = Map.groupBy(indexes, (index) => index - first);
  return { rows, cells: [[...counts].map(([row, all]) => [row, all.length] as const)] };
}

test("two humps are reported with their shares", () => {
  const modes = modesOf(heatmapOf([...drawn(7300, 14, 0.25), ...drawn(2700, 95, 0.25)]));
  expect(modes).toHaveLength(2);
  const [fast, slow] = modes;
  expect(fast?.share).toBeCloseTo(0.73, 2);
  expect(slow?.share).toBeCloseTo(0.27, 2);
  // A row is 12 % high, and the fullest one need not be in the middle.
  expect(Math.abs(Math.log((fast?.near ?? 0) / 0.014))).toBeLessThan(0.2);
  expect(Math.abs(Math.log((slow?.near ?? 0) / 0.095))).toBeLessThan(0.2);
});

test("three humps are reported as three", () => {
  const all = [...drawn(3000, 10, 0.2), ...drawn(3000, 90, 0.2), ...drawn(3000, 900, 0.2)];
  expect(modesOf(heatmapOf(all)).map(({ share }) => share.toFixed(1))).toEqual([
    "0.3",
    "0.3",
    "0.3",
  ]);
});

test.each([
  ["one hump", drawn(10_000, 60, 0.5)],
  ["one wide hump", drawn(10_000, 60, 1.2)],
  ["a long tail", [...drawn(9500, 60, 0.4), ...drawn(500, 2000, 0.5)]],
  ["humps that touch", [...drawn(5000, 50, 0.4), ...drawn(5000, 120, 0.4)]],
  ["one value", drawn(1000, 100, 0)],
])("%s is one hump", (_, elapsedMs) => {
  expect(modesOf(heatmapOf(elapsedMs))).toHaveLength(1);
});

test.each([
  ["too few requests", drawn(200, 14, 0.2)],
  ["whole milliseconds with nothing between", [...drawn(3000, 1, 0.01), ...drawn(3000, 20, 0.2)]],
])("%s: nothing is reported", (_, elapsedMs) => {
  expect(modesOf(heatmapOf(elapsedMs))).toEqual([]);
});

test("many requests in one row with none above it are a wall", () => {
  const all = [...drawn(6000, 230, 0.5).filter((ms) => ms < 1900), ...drawn(110, 2009, 0.001)];
  const [from = 0, until = 0] = wallOf(heatmapOf(all)) ?? [];
  expect(from).toBeLessThanOrEqual(2.009);
  expect(until).toBeGreaterThan(2.009);
});

test.each([
  ["one hump", drawn(10_000, 60, 0.5)],
  ["one value", drawn(1000, 100, 0)],
  ["few at the top", [...drawn(6000, 60, 0.5), ...drawn(12, 2009, 0.001)]],
  ["two humps", [...drawn(7300, 14, 0.25), ...drawn(2700, 95, 0.25)]],
])("%s has no wall", (_, elapsedMs) => {
  expect(wallOf(heatmapOf(elapsedMs))).toBeUndefined();
});
