import { expect, test } from "vitest";
import { TREND } from "../api/trend.ts";
import { formed } from "./answer-form.ts";
import { formOf } from "./form-of.ts";

const FORM = formOf(TREND);
const VALUES = { count: [2, null], errRate: [], avgLoadTime: [], p50: [], p95: [], p99: [] };
const LOAD_TEST = { id: "a", name: "", startedAt: 2 ** 32 - 1, quality: [] };
const ANSWER = {
  loadTests: [LOAD_TEST],
  leftOut: { loadTests: 0, endpoints: 0 },
  changes: [],
  overall: VALUES,
  endpoints: [{ hash: "", label: "", ...VALUES }],
};

test.each([ANSWER, { ...ANSWER, since: "a", ofLaterVersion: 1 }])("%j is understood", (answer) => {
  expect(formed(FORM, answer, "it")).toBe(answer);
});

const SECOND = "a whole number from 0 to 4294967295";

test.each([
  [{ since: 1 }, "since: expected a text, got 1"],
  [{ loadTests: [{ ...LOAD_TEST, startedAt: 2 ** 32 }] }, `startedAt: expected ${SECOND}`],
  [{ loadTests: [{ ...LOAD_TEST, startedAt: 1.5 }] }, `startedAt: expected ${SECOND}, got 1.5`],
  [{ overall: { ...VALUES, p50: ["1"] } }, 'overall.p50[0]: expected a number, got "1"'],
  [{ overall: {} }, "overall.count: expected a list, got nothing"],
  [{ endpoints: [{ ...ANSWER.endpoints[0], role: "x" }] }, "expected one of transaction, "],
])("%j is not understood", (members, difference) => {
  expect(() => formed(FORM, { ...ANSWER, ...members }, "it")).toThrow(difference);
});
