import { expect, test } from "vitest";
import { densePoints } from "../../test/support/dense-points.ts";
import type { DataPoints } from "../model/data-points.ts";
import { factsOf } from "../model/point-facts.ts";
import { arrange, numberPoints } from "./numbered-points.ts";

const shape = { endpoints: 40, seconds: 3, requestsPerPoint: 2, firstSecond: 1_790_000_000 };

test.each([
  ["other order", [9, 4, 7], [4, 4, 7, 7, 9, 9], [2, 3, 4, 5, 0, 1]],
  [
    "other order, up to the largest number",
    [2 ** 32 - 1, 4, 7],
    [4, 4, 7, 7, 2 ** 32 - 1, 2 ** 32 - 1],
    [2, 3, 4, 5, 0, 1],
  ],
  ["same order", [4, 7, 9], [4, 4, 7, 7, 9, 9], [0, 1, 2, 3, 4, 5]],
])("points move with their labels to numbers in %s", (_, numbers, endpoints, origins) => {
  const points = densePoints({ ...shape, endpoints: 3, seconds: 2 });
  const renumbered = arrange(numberPoints(points, Uint32Array.from(numbers)));
  expect([...renumbered.endpoint]).toEqual(endpoints);
  for (const [point, origin] of origins.entries()) {
    expect(pointAt(renumbered, point)).toEqual(pointAt(points, origin));
  }
});

test("labels with the same number become one endpoint", () => {
  const points = densePoints({ ...shape, endpoints: 2, seconds: 1 });
  const { endpoint, requests } = arrange(numberPoints(points, new Uint32Array(2)));
  expect([...endpoint]).toEqual([0]);
  expect([...requests]).toEqual([(points.requests[0] as number) + (points.requests[1] as number)]);
});

test.each([
  [31, "are moved", false],
  [32, "stay where they are", true],
])("unsorted runs of %d seconds %s", (seconds, _, stays) => {
  const points = densePoints({ ...shape, endpoints: 3, seconds });
  const numbered = numberPoints(points, Uint32Array.of(9, 4, 7));
  expect(numbered.columns === points).toBe(stays);
  const { endpoint, from, until } = numbered.runs;
  expect([...endpoint]).toEqual([4, 7, 9]);
  const places = stays ? [1, 2, 0] : [0, 1, 2];
  expect([...from]).toEqual(places.map((place) => place * seconds));
  expect([...until]).toEqual(places.map((place) => (place + 1) * seconds));
});

test("short runs that are sorted stay in place", () => {
  const points = densePoints({ ...shape, endpoints: 3, seconds: 2 });
  expect(numberPoints(points, Uint32Array.of(4, 7, 9)).columns.second).toBe(points.second);
});

/** Returns all columns of a point except its endpoint. */
function pointAt(points: DataPoints, point: number): unknown {
  const [from, until] = points.bucketsFrom.subarray(point, point + 2);
  const { endpoint: _, bucketsFrom: __, outcomes: ___, bucket, bucketCount, ...columns } = points;
  return {
    columns: Object.values(columns).map((column) => column?.[point]),
    bucket: bucket.slice(from, until),
    bucketCount: bucketCount.slice(from, until),
  };
}

test.each([
  ["short runs in other order", 3, [9, 4, 7]],
  ["short runs of one endpoint", 3, [4, 4, 7]],
  ["long runs", 40, [9, 4, 7]],
])("what is said of all points holds when they are renumbered: %s", (_, seconds, numbers) => {
  const points = densePoints({ ...shape, endpoints: 3, seconds });
  const { columns } = numberPoints(points, Uint32Array.from(numbers));
  // A copy has its own facts.
  expect(factsOf(columns)).toEqual(factsOf({ ...columns }));
});
