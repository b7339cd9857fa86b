import { expect, test } from "vitest";
import type { CheckedThreshold, Verdict } from "../../api/thresholds.ts";
import { KEPT } from "./kept-threshold.ts";
import {
  leftOutText,
  measuredText,
  policyText,
  reasonText,
  resultOf,
  runningText,
  valueSentence,
  verdictText,
  windowText,
} from "./threshold-words.ts";

const atSecond = (second: number): string => `second ${second}`;
const BROKEN: CheckedThreshold = { ...KEPT, outcome: "broken", fails: true };
const { measured: _, ...UNKNOWN } = BROKEN;
const NOT_EVALUATED: CheckedThreshold = { ...UNKNOWN, outcome: "notEvaluated" };
const UNJUDGED: CheckedThreshold = { ...KEPT, outcome: "unjudged" };
const WARNED: CheckedThreshold = { ...BROKEN, fails: false, severity: "warn" };
const MISSING: CheckedThreshold = {
  ...UNKNOWN,
  outcome: "unmeasured",
  fails: false,
  allowMissing: true,
};
const WINDOW = { from: 5, until: 15, requests: 1240, failedRequests: 31 };
const GROWN: CheckedThreshold = {
  ...BROKEN,
  kind: "growth",
  unit: "share",
  measured: 0.28,
  base: 0.4,
  value: 0.512,
};

test.each([
  [[], ""],
  [[UNJUDGED], "no verdict"],
  [[KEPT, KEPT, UNJUDGED], "2 passed, 1 without a verdict"],
  [[BROKEN, UNJUDGED], "1 failed, 1 without a verdict"],
  [[NOT_EVALUATED, KEPT], "1 not evaluated"],
  [[KEPT], "passed"],
  [[KEPT, WARNED], "passed, 1 warning"],
  // As a check says: ok.
  [[KEPT, MISSING], "passed"],
  [[BROKEN, KEPT, BROKEN, WARNED, WARNED], "2 failed, 2 warnings"],
])("%j is summed up as %j", (thresholds, text) => {
  expect(verdictText(verdictOf(thresholds))).toBe(text);
});

test.each([
  [[KEPT, BROKEN], null, "p95 412 ms (limit 500 ms) · 1 failed"],
  [
    [KEPT, { ...GROWN, bound: 0.1 }],
    "nightly-41",
    "p95 +28 % against nightly-41 (limit 10 %), 400 ms → 512 ms · 1 failed",
  ],
  [
    [{ ...GROWN, endpoint: "GET /a", figure: "errors", base: 0.01, value: 0.05, bound: 0.02 }],
    "b",
    "GET /a: errors 1.0 % → 5.0 % against b (limit 2 %)",
  ],
  [
    [{ ...GROWN, bound: 0.1, outcome: "inconclusive", fails: false } as const],
    "b",
    "p95 +28 % against b (limit 10 %), 400 ms → 512 ms, which noise may explain",
  ],
  [
    [KEPT, { ...UNJUDGED, failIf: "p95 grows > 10%", kind: "growth" } as const],
    null,
    "p95 grows > 10%: there is no baseline · 1 passed, 1 without a verdict",
  ],
  [[KEPT, WARNED], null, "2 thresholds, 1 warning"],
  [[KEPT], null, "1 threshold"],
  // What looks like the limit and is not has more digits.
  [[{ ...BROKEN, measured: 0.5004 }], null, "p95 500.4 ms (limit 500 ms)"],
  [[{ ...BROKEN, measured: 1.2003, bound: 1.2 }], null, "p95 1.2003 s (limit 1.2 s)"],
  [
    [{ ...BROKEN, figure: "errors", unit: "share", measured: 0.010_002, bound: 0.01 } as const],
    null,
    "errors 1.0002 % (limit 1 %)",
  ],
  [
    [{ ...GROWN, bound: 0.1, measured: 0.1004 }],
    "b",
    "p95 +10.04 % against b (limit 10 %), 400 ms → 512 ms",
  ],
  [
    [{ ...GROWN, bound: -0.1, measured: -0.1004 }],
    "b",
    "p95 −10.04 % against b (limit -10 %), 400 ms → 512 ms",
  ],
  [[{ ...BROKEN, where: "host:a" }], null, "p95 > 500ms: 412 ms (limit 500 ms)"],
  [[{ ...UNKNOWN, outcome: "unmeasured" } as const], null, "p95 > 500ms: no requests"],
  [
    [{ ...BROKEN, window: WINDOW }],
    null,
    "p95 412 ms (limit 500 ms), 1,240 requests from second 5 to second 15",
  ],
])("of %j against %s, %j decides", (thresholds, against, text) => {
  expect(reasonText({ ...verdictOf(thresholds), against }, atSecond)).toBe(text);
});

test("the words for a running window have its figures", () => {
  const limit = { ...BROKEN, measured: 0.61, window: WINDOW, isBroken: true };
  expect(runningText(limit, atSecond)).toBe(
    "p95 > 500ms: 610 ms, 1,240 requests from second 5 to second 15",
  );
  const ofMeasure = { ...limit, measure: "cpu", unit: "count", measured: 96.5 } as const;
  expect(runningText(ofMeasure, atSecond)).toContain("1,240 values from");
  expect(valueSentence(limit)).toBe("p95 610 ms (limit 500 ms)");
  expect(valueSentence({ ...limit, bound: 1.2345 })).toBe("p95 610 ms (limit 1.2345 s)");
});

function verdictOf(thresholds: CheckedThreshold[]): Verdict {
  const failed = thresholds.filter(({ fails }) => fails).length;
  const [name, against, checked] = ["a", null, thresholds.length];
  const open = thresholds.filter((each) => resultOf(each) === "no verdict").length;
  const counts = { checked, failed, judged: checked - open };
  return { name, against, fails: failed > 0, ...counts, thresholds };
}

test.each([
  [[BROKEN, BROKEN], 4000, "4,000 failed", "4,998 more checks, 3,998 of them failed"],
  [[BROKEN, WARNED], 1, "1 failed, at least 1 warning", "4,998 more checks, 0 of them failed"],
  [[WARNED, KEPT], 0, "passed, 1 warning", "4,998 more checks, 0 of them failed"],
])("%j, a part of all, is summed up with what it leaves out", (listed, failed, text, leftOut) => {
  const verdict = { ...verdictOf(listed), checked: 5000, failed, judged: 5000 };
  expect([verdictText(verdict), leftOutText(verdict)]).toEqual([text, leftOut]);
});

test("a complete list leaves nothing out", () => {
  expect(leftOutText(verdictOf([BROKEN, KEPT]))).toBe("");
});

test.each<[CheckedThreshold, string]>([
  [KEPT, "passed"],
  [BROKEN, "failed"],
  [WARNED, "warning"],
  [{ ...WARNED, severity: "fail", isAccepted: true }, "accepted"],
  [{ ...KEPT, outcome: "unjudged" }, "no verdict"],
])("%j has a result", (checked, result) => {
  expect(resultOf(checked)).toBe(result);
});

test.each<[CheckedThreshold, string]>([
  [KEPT, "412 ms"],
  [{ ...KEPT, unit: "share", figure: "errors", measured: 0 }, "0 %"],
  [{ ...KEPT, unit: "share", figure: "errors", measured: 0.021 }, "2.1 %"],
  [{ ...KEPT, unit: "count", figure: "requests", measured: 1234 }, "1,234"],
  [{ ...KEPT, unit: "perSecond", figure: "throughput", measured: 30.7 }, "31/s"],
  [{ ...BROKEN, window: WINDOW }, "412 ms"],
  [{ ...BROKEN, measure: "clock offset", measured: -2 }, "−2.00 s"],
  [{ ...BROKEN, measure: "margin", unit: "share", measured: -0.05 }, "−5.0 %"],
  [{ ...BROKEN, measure: "ratio", unit: "count", measured: 0.0004 }, "0.0004"],
  [{ ...BROKEN, measure: "drift", unit: "perSecond", measured: -3 }, "−3/s"],
  [{ ...BROKEN, measure: "drift", unit: "perSecond", bound: -3, measured: -3.0002 }, "−3.0002/s"],
  [{ ...KEPT, window: WINDOW }, "at worst 412 ms"],
  [{ ...UNKNOWN, outcome: "unmeasured" }, "no requests"],
  [{ ...UNKNOWN, outcome: "notEvaluated" }, "unknown"],
  [GROWN, "400 ms → 512 ms, +28 %"],
  [
    { ...GROWN, measure: "checks", isShare: true, measured: 0.1, base: 0.8, value: 0.9 },
    "80 % → 90 %",
  ],
  [
    { ...GROWN, outcome: "inconclusive", fails: false },
    "400 ms → 512 ms, +28 %, which noise may explain",
  ],
  [{ ...GROWN, figure: "errors", base: 0, value: 0.02, measured: 0.02 }, "0 % → 2.0 %"],
  [{ ...UNKNOWN, kind: "growth", unit: "share" }, "no requests to compare with run-1"],
  [
    { ...UNKNOWN, kind: "growth", unit: "share", measure: "cpu" },
    "no values to compare with run-1",
  ],
  [
    { ...GROWN, figure: "avg", measure: "cpu", base: 42.5, value: 55, measured: 0.294 },
    "42.5 → 55, +29 %",
  ],
  [
    { ...UNKNOWN, kind: "growth", measure: "gc", base: 0, value: 1234 },
    "0 → 1,234: growth from 0 has no percentage",
  ],
  [{ ...KEPT, kind: "change" }, "no change"],
  [{ ...BROKEN, kind: "change", measured: 0.5 }, "changed, +50 %"],
  [{ ...KEPT, kind: "change", outcome: "unjudged" }, "too few runs of this name"],
])("%j has measured", (checked, text) => {
  expect(measuredText(checked, { against: "run-1" })).toBe(text);
});

test("the window that was measured is shown, of errors with those that failed", () => {
  expect(windowText(KEPT, atSecond)).toBe("");
  expect(windowText({ ...KEPT, figure: "errors", window: WINDOW }, atSecond)).toBe(
    "31 of 1,240 requests from second 5 to second 15",
  );
});

test("growth against a run that a link does not open says so", () => {
  const hidden = { against: null, isAgainstHidden: true };
  expect(measuredText(GROWN, hidden)).toBe(
    "400 ms → 512 ms, +28 %, compared with a run you cannot open",
  );
});

test.each<[CheckedThreshold, string]>([
  [{ ...UNKNOWN, unit: "share", possible: { least: 0, most: 0.1 } }, "0 % to 10 %"],
  [{ ...UNKNOWN, possible: { least: 0.1 } }, "at least 100 ms"],
  [
    {
      ...UNKNOWN,
      kind: "growth",
      figure: "errors",
      unit: "share",
      possible: { least: -0.02, most: 0.03 },
    },
    "−2.0 % to 3.0 %",
  ],
])("what rows that could not be read leave open is shown: %j", (checked, text) => {
  const unknown = { ...checked, outcome: "notEvaluated" } as const;
  expect(measuredText(unknown, { against: null })).toBe(`${text}: rows could not be read`);
});

test("the recorded value is shown with the least value that unsent requests allow, except in windows", () => {
  const unknown = { ...UNKNOWN, outcome: "notEvaluated", isOmitted: true } as const;
  const checked = { ...unknown, possible: { least: 0.4, most: 30 } };
  const window = { from: 1, until: 31, requests: 0, failedRequests: 0 };
  expect(measuredText(checked, { against: null })).toBe(
    "400 ms, at least 30.0 s with requests not sent",
  );
  expect(measuredText({ ...checked, window }, { against: null })).toBe(
    "at least 30.0 s with requests not sent",
  );
});

test("growth without a baseline says so", () => {
  expect(measuredText({ ...GROWN, outcome: "unjudged" }, { against: null })).toBe(
    "there is no baseline",
  );
});

test("a policy is shown where it differs from the default", () => {
  expect(policyText({ ...KEPT, severity: "fail" })).toBe("");
  expect(
    policyText({ ...WARNED, owner: "shop", acceptedUntil: "2026-12-31", reason: "SHOP-1" }),
  ).toBe("warns only · shop · accepted until 2026-12-31: SHOP-1");
});
