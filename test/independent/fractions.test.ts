import { expect, test } from "vitest";
import { decimalText, floor, fractionOf, roundHalfAway } from "./fractions.mjs";

test.each([
  [858_901n, 1_000_000n, "0.858901"],
  [10n, 1n, "10"],
  [0n, 7n, "0"],
  [1n, 3n, "0.333333"],
  [2n, 3n, "0.666667"],
  [1n, 2_000_000n, "0.000001"],
  [1n, 2_000_001n, "0"],
  [1_999_999n, 2_000_000n, "1"],
  [123_450n, 100n, "1234.5"],
  [9_007_199_254_740_993n, 1n, "9007199254740993"],
])("%d / %d prints as %s", (top, bottom, text) => {
  expect(decimalText([top, bottom])).toBe(text);
});

test.each([
  ["12.5", 25n, 2n],
  ["-3", -3n, 1n],
  ["1e-7", 1n, 10_000_000n],
  ["2.5E3", 2500n, 1n],
  [".5", 1n, 2n],
  ["7.", 7n, 1n],
])("%s is an exact fraction", (text, top, bottom) => {
  const [ownTop, ownBottom] = fractionOf(text) ?? [0n, 1n];
  expect(ownTop * bottom).toBe(top * ownBottom);
});

test.each(["", ".", "1,5", "0x10", "NaN", "1 000"])("%j is not a decimal", (text) => {
  expect(fractionOf(text)).toBeUndefined();
});

test("halves are rounded away from zero, and floors go down", () => {
  expect([1n, -1n, 3n, -3n].map((top) => roundHalfAway([top, 2n]))).toEqual([1n, -1n, 2n, -2n]);
  expect([1n, -1n, 4n, -4n].map((top) => floor([top, 2n]))).toEqual([0n, -1n, 2n, -2n]);
});
