import { expect, test } from "vitest";
import type { MeasuresJson } from "../../api/measures.ts";
import { checkMeasure, limitPerSeries, readMeasures } from "./check-measures.ts";
import { NO_MEASURES } from "../../model/measures/measure-table.ts";
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

test("the selector, the statistic and a bound of any sign are read", () => {
  expect(limitOf("measure cpu.usage_user{host=a}: max > 90")).toMatchObject({
    selector: { name: "cpu.usage_user", matches: [{ tag: "host", value: "a" }] },
    label: undefined,
    figure: "max",
    comparison: ">",
    bound: 90,
    unit: "count",
  });
  expect(limitOf("measure a: b: min <= -0.5")).toMatchObject({
    selector: { name: "a: b" },
    bound: -0.5,
  });
  expect(limitOf("measure ttft: p75 > 0.2s")).toMatchObject({ figure: "p75", unit: "seconds" });
});

test.each([
  ["measure cpu: p100 > 1", 13, /expected one of avg, .*, or a percentile/],
  ["measure cpu: max > 90 MB", 22, /expected us or ms/],
  ["measure cpu: max rises > 5%", 17, /expected grows, falls or changed, or/],
  ["measure cpu: max falls < 5%", 23, /expected > or >=/],
  ["measure cpu{host: max > 90", 16, /expected = or !=/],
])("%s is refused", (text, at, message) => {
  expect(parseLimit(text)).toEqual({ at, message: expect.stringMatching(message) });
});

const inMillis = { ...CPU, unit: "ms", kind: "distribution", percentiles: { p75: 502 } } as const;

test.each<[string, Measure | undefined, string, number | undefined]>([
  ["max > 90", CPU, "kept", 80],
  ["max > 70", CPU, "broken", 80],
  ["max > 90%", CPU, "kept", 0.8],
  ["max > 70%", CPU, "broken", 0.8],
  // As written, although 95 * 0.01 > 0.95.
  ["min <= 95%", { ...CPU, min: 95 }, "broken", 0.95],
  ["max > 57%", { ...CPU, max: 57 }, "kept", 0.57],
  ["max > 9ms", { ...inMillis, max: 9 }, "kept", 0.009],
  ["max >= 2s", { ...inMillis, unit: "min", max: 0.5 }, "broken", 30],
  ["max > 1s", CPU, "notEvaluated", undefined],
  ["min < 20", CPU, "kept", 20],
  ["last == 20", { ...CPU, last: 20 }, "broken", 20],
  ["max > 70", { ...CPU, max: undefined }, "notEvaluated", undefined],
  ["p95 > 1", CPU, "notEvaluated", undefined],
  ["rate > 1", { ...CPU, kind: "counter", rate: 1.5 }, "broken", 1.5],
  ["rate > 1/s", { ...CPU, kind: "counter", rate: 1.5 }, "broken", 1.5],
  ["rate < 0.92", rate(91), "broken", 0.91],
  ["rate < 91%", rate(91), "kept", 0.91],
  ["avg < 0.92", rate(91), "broken", 0.91],
  ["sum > 90", { ...CPU, count: 0, sum: 0 }, "notEvaluated", undefined],
  // Values from 500 to below 504 have a bucket.
  ["p75 > 501", { ...inMillis, max: 1000 }, "kept", 502],
  ["p75 > 499", { ...inMillis, max: 1000 }, "broken", 502],
  ["p75 > 0.499s", { ...inMillis, max: 1000 }, "broken", 0.502],
  ["avg > 50", undefined, "unmeasured", undefined],
])("%s", (condition, measure, outcome, measured) => {
  const limit = limitOf(`measure cpu: ${condition}`);
  const measures = new Map([["cpu", measure === undefined ? [] : [measure]]]);
  const checked = checkMeasure(limit, measures);
  expect([checked.outcome, checked.measured]).toEqual([outcome, measured]);
});

test("a percentile is within precision if a value of its bucket is on the other side", () => {
  const measures = new Map([["cpu", [{ ...inMillis, max: 1000 }]]]);
  const within = (bound: number) =>
    checkMeasure(limitOf(`measure cpu: p75 > ${bound}`), measures).isWithinPrecision;
  expect([499, 501, 503, 504].map(within)).toEqual([false, true, true, false]);
});

test("series that a selector keeps apart are checked each", () => {
  const limit = limitOf("measure cpu{zone=1} by host: max > 70");
  const other = { ...CPU, tags: { host: "b" }, max: 60 };
  const measures = new Map([["cpu{zone=1} by host", [CPU, other]]]);
  const own = limitPerSeries(limit, measures);
  expect(own.map((each) => [each.text, checkMeasure(each, measures).outcome])).toEqual([
    ["measure cpu.usage_user{zone=1, host=a}: max > 70", "broken"],
    ["measure cpu.usage_user{zone=1, host=b}: max > 70", "kept"],
  ]);
});

test("other work runs between the figures of very many selectors", async () => {
  const limits = Array.from({ length: 20 }, (_, at) => limitOf(`measure cpu{host=${at}}: max > 1`));
  let turns = 0;
  const reader = {
    async measures() {
      // As much as a store may do at once.
      const untilMs = performance.now() + 5;
      while (performance.now() < untilMs);
      return { measures: [], unstored: NO_MEASURES.unstored };
    },
  };
  const others = setInterval(() => (turns += 1), 0);
  await readMeasures(reader, { loadTestId: "run", range: undefined }, limits);
  clearInterval(others);
  expect(turns).toBeGreaterThan(10);
});
