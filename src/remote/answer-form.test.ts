import { expect, test } from "vitest";
import {
  flag,
  formed,
  list,
  members,
  number,
  oneOf,
  optional,
  orNull,
  second,
  text,
  time,
} from "./answer-form.ts";

const FORM = members<{ a: readonly (number | null)[]; b?: "x" | "y"; c: { d: boolean } }>({
  a: list(orNull(number)),
  b: optional(oneOf(["x", "y"])),
  c: members<{ d: boolean }>({ d: flag }),
});

test.each([
  { a: [1, null], c: { d: true } },
  { a: [], b: "x", c: { d: false }, further: 1 },
])("%j has the form and is handed on as it is", (value) => {
  expect(formed(FORM, value, "it")).toBe(value);
});

test.each([
  [undefined, "expected an object, got nothing"],
  [null, "expected an object, got null"],
  [[], "a: expected a list, got nothing"],
  [{ a: { length: 0 }, c: { d: true } }, 'a: expected a list, got {"length":0}'],
  [{ a: [1, "2"], c: { d: true } }, 'a[1]: expected a number, got "2"'],
  [{ a: [], b: null, c: { d: true } }, "b: expected one of x, y, got null"],
  [{ a: [], c: { d: 1 } }, "c.d: expected true or false, got 1"],
  [{ a: [], c: "x".repeat(200) }, `c: expected an object, got "${"x".repeat(99)}`],
])("%j differs from the form: %s", (value, difference) => {
  expect(() => formed(FORM, value, "it")).toThrow(
    expect.objectContaining({
      code: "bad-answer",
      message: expect.stringContaining(`it is not understood: ${difference};`),
    }),
  );
});

test.each([
  [second, 2 ** 32 - 1, 2 ** 32],
  [second, 0, -1],
  [second, 1, 1.5],
  [number, 1.5, "1"],
  [text, "", null],
  [time, "2026-11-21T12:00:00.000Z", "now"],
])("limits of a form: %#", (form, right, wrong) => {
  expect(formed<unknown>(form, right, "it")).toBe(right);
  expect(() => formed<unknown>(form, wrong, "it")).toThrow("is not understood");
});
