import { expect, test } from "vitest";
import { checkLoadTestName } from "../model/load-test/attributes.ts";
import { loadTestNameAfter } from "./load-test-id.ts";

test.each([
  ["run-1.jtl", "run-1.jtl"],
  ["a".repeat(255), "a".repeat(200)],
  [`${"a".repeat(199)}😀`, `${"a".repeat(199)}\uFFFD`],
  ["a\nb\u0000", "a b"],
  [" ", "id"],
  ["", "id"],
])("derives the name of a load test from any file name: %j", (file, name) => {
  expect(loadTestNameAfter(file, "id")).toBe(name);
  expect(checkLoadTestName(name)).toBe(name);
});
