import { expect, test } from "vitest";
import { change, failureChange, inWords } from "./changes.ts";

test.each([
  [0, "0 %"],
  [0.004, "0 %"],
  [1.2236, "+122 %"],
  [-0.187, "−19 %"],
  [-0.004, "0 %"],
  [8.99, "+899 %"],
  [9, "×10"],
  [1234.4, "×1,235"],
])("a change of %d is %s", (value, text) => {
  expect(inWords(change(value))).toBe(text);
});

test.each([
  [0.00013, 0.0038, "×29"],
  [0.01, 0.025, "×2.5"],
  [0.01, 0.014, "+40 %"],
  [0.02, 0.01, "−50 %"],
  [0.02, 0, "−100 %"],
  [0, 0.01, "from 0"],
])("failures of %d that became %d are %s", (base, value, text) => {
  expect(inWords(failureChange(base, value) ?? { digits: "", unit: "" })).toBe(text);
});

test("where nothing failed, nothing changed", () => {
  expect(failureChange(0, 0)).toBeUndefined();
});
