import { expect, test } from "vitest";
import type { CheckedThreshold, Verdict } from "../../api/thresholds.ts";
import { leftOutText, measuredText, policyText, resultOf, verdictText } from "./threshold-words.ts";

const KEPT: CheckedThreshold = {
  failIf: "p95 > 500ms",
  about: "value",
  figure: "p95",
  unit: "seconds",
  outcome: "kept",
  fails: false,
  measured: 0.412,
};
const BROKEN: CheckedThreshold = { ...KEPT, outcome: "broken", fails: true };
const { measured: _, ...UNKNOWN } = BROKEN;
const WARNED: CheckedThreshold = { ...BROKEN, fails: false, severity: "warn" };
const GROWN: CheckedThreshold = {
  ...BROKEN,
  about: "growth",
  unit: "share",
  measured: 0.28,
  base: 0.4,
  value: 0.512,
};

test.each([
  [[], ""],
  [[KEPT], "passed"],
  [[KEPT, WARNED], "passed, 1 warning"],
  [[BROKEN, KEPT, BROKEN, WARNED, WARNED], "2 failed, 2 warnings"],
])("%j is summed up as %j", (thresholds, text) => {
  expect(verdictText(verdictOf(thresholds))).toBe(text);
});

function verdictOf(thresholds: CheckedThreshold[]): Verdict {
  const failed = thresholds.filter(({ fails }) => fails).length;
  const [name, against, checked] = ["a", null, thresholds.length];
  return { name, against, fails: failed > 0, checked, failed, thresholds };
}

test.each([
  [[BROKEN, BROKEN], 4000, "4,000 failed", "4,998 more checks, 3,998 of them failed"],
  [[BROKEN, WARNED], 1, "1 failed, at least 1 warning", "4,998 more checks, 0 of them failed"],
  [[WARNED, KEPT], 0, "passed, 1 warning", "4,998 more checks, 0 of them failed"],
])("%j, a part of all, is summed up with what it leaves out", (listed, failed, text, leftOut) => {
  const verdict = { ...verdictOf(listed), checked: 5000, failed };
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
  [{ ...UNKNOWN, outcome: "unmeasured" }, "no requests"],
  [{ ...UNKNOWN, outcome: "notEvaluated" }, "unknown"],
  [GROWN, "400 ms → 512 ms, +28 %"],
  [
    { ...GROWN, outcome: "inconclusive", fails: false },
    "400 ms → 512 ms, +28 %, which noise may explain",
  ],
  [{ ...GROWN, figure: "errors", base: 0, value: 0.02, measured: 0.02 }, "0 % → 2.0 %"],
  [{ ...UNKNOWN, about: "growth", unit: "share" }, "no requests to compare with run-1"],
  [{ ...KEPT, about: "change" }, "no change"],
  [{ ...BROKEN, about: "change", measured: 0.5 }, "changed, +50 %"],
  [{ ...KEPT, about: "change", outcome: "unjudged" }, "too few runs of this name"],
])("%j has measured", (checked, text) => {
  expect(measuredText(checked, "run-1")).toBe(text);
});

test("growth without a baseline says so", () => {
  expect(measuredText({ ...GROWN, outcome: "unjudged" }, null)).toBe("no baseline is pinned");
});

test("a policy is shown where it differs from the default", () => {
  expect(policyText({ ...KEPT, severity: "fail" })).toBe("");
  expect(
    policyText({ ...WARNED, owner: "shop", acceptedUntil: "2026-12-31", reason: "SHOP-1" }),
  ).toBe("warns only · shop · accepted until 2026-12-31: SHOP-1");
});
