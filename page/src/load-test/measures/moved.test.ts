import { expect, test } from "vitest";
import type { MeasurePoints } from "../../api/measures.ts";
import { movedOf, movedText } from "./moved.ts";

const BEFORE = { from: 100, until: 160 };
const DURING = { from: 160, until: 190 };

/** One value before the incident, one during it, and some elsewhere. */
function measure(
  name: string,
  [before, during]: readonly [number | undefined, number | undefined],
  kind: MeasurePoints["kind"] = "gauge",
): MeasurePoints {
  const points = [
    [90, 1000],
    [130, before],
    [170, during],
    [190, 1000],
  ].flatMap(([second, sum]) => (second === undefined || sum === undefined ? [] : [[second, sum]]));
  return {
    key: name,
    name,
    unit: "%",
    kind,
    tags: {},
    labels: points.map(([second = 0]) => second),
    counts: points.map(() => 1),
    sums: points.map(([, sum = 0]) => sum),
  };
}

function textsOf(measures: readonly MeasurePoints[]) {
  const moved = movedOf(measures, BEFORE, DURING);
  return moved.map(({ measure: { name }, before, during }) => [name, before, during]);
}

test("the measures that moved most come first, up or down, and steady ones are left out", () => {
  const measures = [
    measure("cpu", [20, 60]),
    measure("free", [80, 10]),
    measure("disk", [50, 55]),
    measure("gone", [1, undefined]),
    measure("new", [undefined, 9]),
  ];
  expect(textsOf(measures)).toEqual([
    ["free", 80, 10],
    ["cpu", 20, 60],
  ]);
});

test("counters are compared per second, and something after nothing comes first", () => {
  const measures = [
    measure("steady", [60, 30], "counter"),
    measure("hits", [240, 60], "counter"),
    measure("retries", [undefined, 30], "counter"),
  ];
  expect(textsOf(measures)).toEqual([
    ["retries", 0, 1],
    ["hits", 4, 2],
  ]);
});

test("a move says what moved, and by how much", () => {
  const [moved] = movedOf(
    [{ ...measure("cpu.usage", [20, 96]), tags: { host: "web-1" } }],
    BEFORE,
    DURING,
  );
  expect(moved && movedText(moved)).toBe("cpu.usage host=web-1: 20 % to 96 % (+380 %)");
  const [fell] = movedOf([measure("free", [80, 20])], BEFORE, DURING);
  expect(fell && movedText(fell)).toBe("free: 80 % to 20 % (−75 %)");
  const [started] = movedOf([measure("retries", [undefined, 30], "counter")], BEFORE, DURING);
  expect(started && movedText(started)).toBe("retries: 0 /s to 1 /s");
});
