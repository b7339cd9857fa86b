import { expect, test } from "vitest";
import { ANY_FINDINGS } from "../api/findings.ts";
import { findingsOf } from "./remote-reader.ts";
import { formed } from "./server-calls.ts";

const read = (findings: unknown) => findingsOf(formed(ANY_FINDINGS, findings, "it"));

const NOTHING = { step: undefined, burst: undefined, quality: [] };
const STEP = { kind: "step", at: 9, p95Before: 0.1, p95After: 0.250001, endpoints: [] };

test.each([[[]], [[{ kind: "of a later version", at: "x" }]]])(
  "%j holds no known finding",
  (findings) => {
    expect(read(findings)).toEqual(NOTHING);
  },
);

test("what is unknown comes with the findings", () => {
  const remark = { code: "truncated", message: "m" };
  expect(read([{ kind: "quality", ...remark }])).toEqual({
    ...NOTHING,
    quality: [remark],
  });
});

test("a step is found among them", () => {
  expect(read([STEP])).toEqual({ ...NOTHING, step: STEP });
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
  expect(() => read(findings)).toThrow(difference);
});
