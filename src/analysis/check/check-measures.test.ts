import { expect, test } from "vitest";
import type { MeasuresJson } from "../../api/measures.ts";
import { checkMeasure } from "./check-measures.ts";
import type { Limit } from "./limit.ts";
import { isMistake, parseLimit } from "./parse-limit.ts";

type Measure = MeasuresJson["measures"][number];

const CPU: Measure = {
  name: "cpu.usage_user",
  unit: "%",
  kind: "gauge",
  tags: { host: "a" },
  count: 2,
  sum: 100,
  mean: 50,
  min: 20,
  max: 80,
  from: 1,
  until: 2,
};

const rate = (sum: number): Measure => ({ ...CPU, kind: "rate", count: 100, sum, mean: sum / 100 });

function limitOf(text: string): Limit {
  const limit = parseLimit(text);
  if (isMistake(limit)) throw new Error(limit.message);
  return limit;
}

test("the measure, its figure and a bound of any sign are read", () => {
  expect(limitOf("measure cpu.usage_user: max > 90")).toMatchObject({
    measure: "cpu.usage_user",
    label: undefined,
    figure: "max",
    comparison: ">",
    bound: 90,
    unit: "count",
  });
  expect(limitOf("measure a: b: min <= -0.5")).toMatchObject({ measure: "a: b", bound: -0.5 });
});

test.each([
  ["measure cpu: p90 > 1", 13, /expected one of avg, min, max, p50, p95, p99, sum, last/],
  ["measure cpu: max > 90 ms", 22, /expected no unit/],
  ["measure cpu: max grows > 1%", 17, /expected one of > >= < <=/],
])("%s is refused", (text, at, message) => {
  expect(parseLimit(text)).toEqual({ at, message: expect.stringMatching(message) });
});

test.each<[string, readonly Measure[], string, number | undefined]>([
  ["max > 90", [CPU], "kept", 80],
  ["max > 70", [CPU], "broken", 80],
  ["min < 20", [CPU], "kept", 20],
  ["min < 30", [CPU, { ...CPU, min: 10 }], "broken", 10],
  ["max > 90", [CPU, { ...CPU, max: undefined }], "notEvaluated", 80],
  ["max > 70", [CPU, { ...CPU, max: undefined }], "broken", 80],
  ["p95 > 1", [CPU], "notEvaluated", undefined],
  // Sums of two scenarios; 91 of 100 and 39 of 100 checks.
  ["sum <= 150", [CPU, CPU], "kept", 200],
  ["sum >= 150", [CPU, CPU], "broken", 200],
  ["avg < 0.65", [rate(91), rate(39)], "kept", 0.65],
  ["avg < 0.66", [rate(91), rate(39)], "broken", 0.65],
  ["max > 90", [CPU, { ...CPU, endpoint: { hash: "a", label: "a" }, max: 99 }], "kept", 80],
  ["max > 90", [{ ...CPU, endpoint: { hash: "a", label: "a" }, max: 99 }], "broken", 99],
  ["avg > 50", [], "unmeasured", undefined],
])("%s", (condition, series, outcome, measured) => {
  const measures = new Map([["cpu", series]]);
  const limit = limitOf(`measure cpu: ${condition}`);
  expect(checkMeasure(limit, "cpu", measures)).toMatchObject({ outcome, measured });
});
