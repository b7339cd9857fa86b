import { expect, test } from "vitest";
import { SECOND as SECOND_SCHEMA } from "../api/parts.ts";
import { list, object, optional } from "../api/schema.ts";
import { TREND } from "../api/trend.ts";
import { formed } from "./server-calls.ts";

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
  expect(formed(TREND, answer, "it")).toBe(answer);
});

const SECOND = "a whole number from 0 to 4294967295";

test.each([
  [{ since: 1 }, "since: expected a string, got 1"],
  [{ loadTests: [{ ...LOAD_TEST, startedAt: 2 ** 32 }] }, `startedAt: expected ${SECOND}`],
  [{ loadTests: [{ ...LOAD_TEST, startedAt: 1.5 }] }, `startedAt: expected ${SECOND}, got 1.5`],
  [{ overall: { ...VALUES, p50: ["1"] } }, 'overall.p50[0]: expected a number, got "1"'],
  [{ overall: {} }, "overall.count: expected an array, got nothing"],
  [{ endpoints: [{ ...ANSWER.endpoints[0], role: "x" }] }, "expected one of transaction, "],
])("%j is not understood", (members, difference) => {
  expect(() => formed(TREND, { ...ANSWER, ...members }, "it")).toThrow(difference);
});

const PARTS = object({
  a: list({ type: ["number", "null"] }),
  c: object({ d: { type: "boolean" } }),
  b: optional({ type: "string", enum: ["x", "y"] }),
});

test.each([
  { a: [1, null], c: { d: true } },
  { a: [], b: "x", c: { d: false }, further: 1 },
])("%j has the form and is passed on unchanged", (value) => {
  expect(formed(PARTS, value, "it")).toBe(value);
});

test.each([
  [undefined, "expected an object, got nothing"],
  [null, "expected an object, got null"],
  [[], "expected an object, got []"],
  [{ a: { length: 0 }, c: { d: true } }, 'a: expected an array, got {"length":0}'],
  [{ a: [1, "2"], c: { d: true } }, 'a[1]: expected a number, got "2"'],
  [{ a: [], b: null, c: { d: true } }, "b: expected one of x, y, got null"],
  [{ a: [], c: { d: 1 } }, "c.d: expected true or false, got 1"],
  [{ a: [], c: "x".repeat(200) }, `c: expected an object, got "${"x".repeat(99)}`],
])("%j differs from the form: %s", (value, difference) => {
  expect(() => formed(PARTS, value, "it")).toThrow(
    expect.objectContaining({
      code: "bad-answer",
      message: expect.stringContaining(`it has an unexpected form: ${difference};`),
    }),
  );
});

test.each([
  [SECOND_SCHEMA, 2 ** 32 - 1, 2 ** 32],
  [SECOND_SCHEMA, 0, -1],
  [SECOND_SCHEMA, 1, 1.5],
  [{ type: "number" }, 1.5, "1"],
  [{ type: "string" }, "", null],
  [{ type: "string", format: "date-time" }, "2026-11-21T12:00:00.000Z", "now"],
  [{ const: "step" }, "step", "burst"],
])("limits of a form: %#", (schema, right, wrong) => {
  expect(formed(schema, right, "it")).toBe(right);
  expect(() => formed(schema, wrong, "it")).toThrow("has an unexpected form");
});
