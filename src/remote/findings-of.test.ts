import { formed } from "./form-of.ts";
import { expect, test } from "vitest";
import { FINDINGS_FORM } from "./findings-of.ts";

const NOTHING = { step: undefined, burst: undefined, quality: [] };
const STEP = { kind: "step", at: 9, p95Before: 0.1, p95After: 0.250001, endpoints: [] };

test.each([[[]], [[{ kind: "of a later version", at: "x" }]]])(
  "%j holds no known finding",
  (findings) => {
    expect(formed(FINDINGS_FORM, findings, "it")).toEqual(NOTHING);
  },
);

test("what is unknown comes with the findings", () => {
  const remark = { code: "truncated", message: "m" };
  expect(formed(FINDINGS_FORM, [{ kind: "quality", ...remark }], "it")).toEqual({
    ...NOTHING,
    quality: [remark],
  });
});

test("percentiles in seconds are converted back to whole microseconds", () => {
  expect(formed(FINDINGS_FORM, [STEP], "it")).toEqual({
    ...NOTHING,
    step: { at: 9, beforeMicros: 100_000, afterMicros: 250_001, backAt: undefined, endpoints: [] },
  });
});

test.each([
  [{}, "expected an array, got {}"],
  [[STEP, {}], "[1].kind: expected a string, got nothing"],
  [
    [STEP, { kind: "burst" }],
    "[1].from: expected a whole number from 0 to 4294967295, got nothing",
  ],
  [[{ ...STEP, endpoints: [{}] }], "[0].endpoints[0].hash: expected a string, got nothing"],
  [[{ kind: "quality", code: "x", message: "" }], "[0].code: expected one of untimed-requests, "],
])("%j is not understood", (findings, difference) => {
  expect(() => formed(FINDINGS_FORM, findings, "it")).toThrow(difference);
});
