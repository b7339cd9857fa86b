import { expect, test } from "vitest";
import { KEPT } from "../thresholds/kept-threshold.ts";
import { limitsIn, withLimits } from "./limit-lines.ts";

const OF_ENDPOINT = { ...KEPT, endpoint: "GET /a", failIf: "GET /a: p95 > 500ms" };
const WHOLE = { hashes: [], filter: "" };
const WINDOW = { from: 10, until: 40, requests: 9, failedRequests: 0 };

test("only thresholds on what is drawn become lines", () => {
  const checks = [
    KEPT,
    OF_ENDPOINT,
    { ...KEPT, where: "host:a" },
    { ...KEPT, measure: "cpu" },
    { ...KEPT, kind: "change" as const },
  ];
  const times = [{ text: "p95 > 500ms", value: 0.5 }];
  expect(limitsIn(checks, WHOLE, undefined)).toEqual({ times, perSecond: [], errors: [] });
  expect(limitsIn(checks, { ...WHOLE, hashes: ["1"] }, "GET /a").times).toEqual([
    { ...times[0], text: "GET /a: p95 > 500ms" },
  ]);
  expect(limitsIn(checks, { ...WHOLE, where: "host:a" }, undefined).times).toHaveLength(1);
  expect(limitsIn(checks, { ...WHOLE, filter: "a" }, undefined).times).toEqual([]);
  expect(limitsIn(checks, { ...WHOLE, hashes: ["1", "2"] }, undefined).times).toEqual([]);
  // Of very many endpoints not all are listed with their labels.
  expect(limitsIn(checks, { ...WHOLE, hashes: ["1"] }, undefined).times).toEqual([]);
  expect(limitsIn(checks, { ...WHOLE, outcome: "passed" }, undefined).times).toEqual([]);
});

/** 10 % above 400 ms is 440 ms, 2 points above 1 % are 3 %, 60 requests in 30 s are 2 a second. */
test.each([
  [{ kind: "growth", unit: "share", bound: 0.1, base: 0.4 }, "times", 0.44],
  [{ kind: "growth", figure: "errors", unit: "share", bound: 0.02, base: 0.01 }, "errors", 0.03],
  [{ figure: "errors", unit: "share", bound: 0.05 }, "errors", 0.05],
  [{ figure: "throughput", unit: "perSecond", bound: 7 }, "perSecond", 7],
  [{ figure: "requests", unit: "count", bound: 60, window: WINDOW }, "perSecond", 2],
] as const)("%j is a line of the chart of %s at %d", (given, chart, value) => {
  const [line] = limitsIn([{ ...KEPT, ...given }], WHOLE, undefined)[chart];
  expect(line?.value).toBeCloseTo(value, 12);
});

test("thresholds far above the lines of a chart are left out", () => {
  const drawing = {
    seconds: [1, 2, 3],
    lines: [{ name: "p95", values: [0.1, 0.2, 0.2], color: "--p95" }],
  };
  const limits = [0.3, 0.9].map((value) => ({ text: "", value }));
  const shown = withLimits(limits, drawing);
  expect(shown.map(({ values }) => values)).toEqual([
    [0.1, 0.2, 0.2],
    [0.3, 0.3, 0.3],
  ]);
  expect(withLimits(limits, { ...drawing, isLogarithmic: true })).toHaveLength(3);
  expect(withLimits([], drawing)).toBe(drawing.lines);
});

test("each line is named after its whole condition", () => {
  const texts = ["p95 > 1s over 1m", 'GET "/a: b": p95 > 1s', "each: p95 > 1s over 30s"];
  const limits = texts.map((text) => ({ text, value: 1 }));
  const lines = [{ name: "p95", values: [1], color: "--p95" }];
  const [, ...shown] = withLimits(limits, { seconds: [1], lines });
  expect(shown.map(({ endText }) => endText)).toEqual([
    "p95 > 1s over 1m",
    "p95 > 1s",
    "p95 > 1s over 30s",
  ]);
});
