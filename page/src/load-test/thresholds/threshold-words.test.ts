import { expect, test } from "vitest";
import type { CheckedThreshold } from "../../api/thresholds.ts";
import { measuredText, policyText, resultOf, verdictText } from "./threshold-words.ts";

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
  expect(verdictText({ name: "a", against: null, fails: false, thresholds })).toBe(text);
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
