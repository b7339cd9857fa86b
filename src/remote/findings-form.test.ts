import { expect, test } from "vitest";
import { formed } from "./answer-form.ts";
import { FINDINGS } from "./findings-form.ts";

const NOTHING = { step: undefined, burst: undefined };
const STEP = { kind: "step", at: 9, p95Before: 0.1, p95After: 0.250001, endpoints: [] };

test.each([[[]], [[{ kind: "of a later version", at: "x" }]]])(
  "%j holds no finding that is known",
  (findings) => {
    expect(formed(FINDINGS, findings, "it")).toEqual(NOTHING);
  },
);

test("seconds of percentiles are whole microseconds again", () => {
  expect(formed(FINDINGS, [STEP], "it")).toEqual({
    ...NOTHING,
    step: { at: 9, beforeMicros: 100_000, afterMicros: 250_001, backAt: undefined, endpoints: [] },
  });
});

test.each([
  [{}, "expected a list, got {}"],
  [[STEP, {}], "[1].kind: expected a text, got nothing"],
  [[STEP, { kind: "burst" }], "[1].from: expected a UNIX second, got nothing"],
  [[{ ...STEP, endpoints: [{}] }], "[0].endpoints[0].label: expected a text, got nothing"],
])("%j is not understood", (findings, difference) => {
  expect(() => formed(FINDINGS, findings, "it")).toThrow(difference);
});
