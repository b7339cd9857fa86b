import { expect, test } from "vitest";
import { FAILURE_KINDS_MAX, OTHER_FAILURES } from "../model/failures.ts";
import { FailureKinds } from "./failure-kinds.ts";

test("the same code and message are one kind, under any label", () => {
  const kinds = new FailureKinds();
  const first = kinds.numberOf(0, "500", "broken");
  expect(kinds.numberOf(0, "500", "broken")).toBe(first);
  expect(kinds.numberOf(3, "500", "broken")).toBe(first);
  expect(kinds.numberOf(0, "503", "broken")).not.toBe(first);
  expect(kinds.numberOf(0, "500", "Broken")).not.toBe(first);
});

test("a label has 100 kinds; further ones count as others", () => {
  const kinds = new FailureKinds();
  for (let number = 0; number < FAILURE_KINDS_MAX; number++) kinds.numberOf(0, "", `m${number}`);
  expect(kinds.unnamed).toBe(0);
  expect(kinds.kinds[kinds.numberOf(0, "", "one more")]).toEqual(OTHER_FAILURES);
  expect(kinds.kinds[kinds.numberOf(0, "", "m7")]?.message).toBe("m7");
  expect(kinds.kinds[kinds.numberOf(1, "", "one more")]?.message).toBe("one more");
  expect(kinds.unnamed).toBe(1);
});

test("long texts are truncated between characters", () => {
  const kinds = new FailureKinds();
  const { message } = kinds.kinds[kinds.numberOf(0, "", "x".repeat(498) + "😀".repeat(9))] ?? {};
  expect(message).toBe(`${"x".repeat(498)}…`);
});

test("a kind with a long text stays the same once its label has 100 kinds", () => {
  const kinds = new FailureKinds();
  const long = "x".repeat(600);
  const first = kinds.numberOf(0, "", long);
  for (let number = 1; number < FAILURE_KINDS_MAX; number++) kinds.numberOf(0, "", `m${number}`);
  expect(kinds.numberOf(0, "", long)).toBe(first);
  expect(kinds.unnamed).toBe(0);
});
