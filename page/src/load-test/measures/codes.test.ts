import { expect, test } from "vitest";
import type { FailureKind } from "../../api/figures.ts";
import type { MeasurePoints } from "../../api/measures.ts";
import { gridOf } from "../../charts/grid.ts";
import { codeLines } from "./codes.ts";

/** Five windows of 2 s, and no requests in the last. */
const GRID = gridOf(100, 110, 2);
const REQUESTS = { labels: [100, 102, 104, 106] };

function failed(code: string, series: readonly (readonly [number, number])[]): FailureKind {
  return { code, message: "", count: 0, endpointCount: 1, endpoints: [], series };
}

function passed(code: string, labels: readonly number[], sums: readonly number[]): MeasurePoints {
  const tags = code === "" ? {} : { code };
  return {
    key: code,
    name: "responses",
    unit: "",
    kind: "counter",
    tags,
    labels,
    counts: [],
    sums,
  };
}

function linesOf(kinds: readonly FailureKind[], points: readonly MeasurePoints[]) {
  const lines = codeLines({ kinds }, points, REQUESTS, GRID);
  return lines.map(({ text, part }) => [text, part]);
}

test("codes of failed and passed requests are separate, per second, and 0 only where there were requests", () => {
  const kinds = [failed("404", [[102, 2]]), failed("404", [[102, 4]]), failed("503", [[104, 1]])];
  const points = [passed("404", [106], [4]), passed("404", [106], [6])];
  expect(linesOf(kinds, points)).toEqual([
    ["503", [0, 0, 0.5, 0, null, null]],
    ["404", [0, 3, 0, 0, null, null]],
    ["404 passed", [0, 0, 0, 5, null, null]],
  ]);
});

test("a code has the same rates whichever of its kinds comes first", () => {
  // The first window has 1 of 2 s: it has the rate of the 3 s with the second one.
  const cut = gridOf(101, 110, 2);
  const kinds = [failed("500", [[102, 4]]), { ...failed("500", [[100, 2]]), message: "other" }];
  for (const each of [kinds, kinds.toReversed()]) {
    const [line] = codeLines({ kinds: each }, [], REQUESTS, cut);
    expect(line?.part).toEqual([2, 2, 0, 0, null, null]);
  }
});

test("an exception of JMeter is named by its class", () => {
  const code = "Non HTTP response code: org.apache.http.NoHttpResponseException";
  expect(linesOf([failed(code, [[100, 2]])], [])).toEqual([
    ["NoHttpResponseException", [1, 0, 0, 0, null, null]],
  ]);
});

test("the rarest codes, and requests without one, are others; of unknown seconds nothing is drawn", () => {
  const kinds = Array.from({ length: 9 }, (_, at) => failed(`50${at}`, [[100, 20 - 2 * at]]));
  const [others, least] = linesOf(
    [
      ...kinds,
      failed("", [
        [0, 50],
        [102, 2],
      ]),
    ],
    [],
  );
  expect(others).toEqual(["others", [5, 1, 0, 0, null, null]]);
  expect(least).toEqual(["506", [4, 0, 0, 0, null, null]]);
});

test("without any code nothing is drawn", () => {
  expect(linesOf([failed("", [[100, 3]])], [passed("", [102], [1])])).toEqual([]);
});
