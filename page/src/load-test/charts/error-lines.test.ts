import { expect, test } from "vitest";
import type { Series } from "../../api/figures.ts";
import { gridOf } from "../../charts/grid.ts";
import { classOf, errorLines, type KnownKinds } from "./error-lines.ts";

test.each([
  ["503", "5xx"],
  ["429", "4xx"],
  ["200", "2xx"],
  ["101", "other"],
  ["", "other"],
  ["0", "no reply"],
  ["Non HTTP response code: java.net.SocketTimeoutException", "no reply"],
])("the class of code %j is %s", (code, expected) => {
  expect(classOf(code)).toBe(expected);
});

/** Two points of 5 s with 10 requests each. */
const series = { labels: [100, 105], count: [10, 10], errCount: [4, 2] } as unknown as Series;
const grid = gridOf(100, 110, 5);
const kindOf = (code: string, ...points: readonly [number, number][]) => ({ code, series: points });
const partsOf = (kinds: KnownKinds["kinds"]) =>
  errorLines(grid, series, { kinds, resolution: 1 }, 5).map(({ text, name, part, values }) => [
    text ?? name,
    ...(part ?? values).slice(0, 2),
  ]);

test("each class is a share of all requests, and what has no kind is other", () => {
  const kinds = [
    kindOf("503", [101, 2], [105, 1]),
    kindOf("404", [104, 1]),
    kindOf("502", [109, 1]),
  ];
  expect(partsOf(kinds)).toEqual([
    ["failed", 0.4, 0.2],
    ["other", 0.1, 0],
    ["4xx", 0.1, 0],
    ["5xx", 0.2, 0.2],
  ]);
});

test("kinds of a later moment do not exceed the failed requests", () => {
  expect(partsOf([kindOf("503", [100, 8], [106, 4])])).toEqual([
    ["failed", 0.4, 0.2],
    ["5xx", 0.4, 0.2],
  ]);
});

test("kinds in longer windows have no areas: when they came is not known", () => {
  const kinds = [kindOf("503", [60, 6])];
  const minute = gridOf(60, 70, 5);
  const points = { ...series, labels: [60, 65] };
  const lines = errorLines(minute, points, { kinds, resolution: 60 }, 5);
  expect(lines.map(({ name, values }) => [name, ...values.slice(0, 2)])).toEqual([
    ["failed", 0.4, 0.2],
  ]);
});

test("without a failure there is no line", () => {
  expect(
    errorLines(grid, { ...series, errCount: [0, 0] }, { kinds: [], resolution: 1 }, 5),
  ).toEqual([]);
});
