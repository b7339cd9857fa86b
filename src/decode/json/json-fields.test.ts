import { expect, test } from "vitest";
import { readJsonNumber } from "./json-fields.ts";

test.each([
  ["0", 3, 0],
  ["32.138999999999996", 3, 32_139],
  ["5.5005", 3, 5501],
  ["1.5e3", 3, 1_500_000],
  ["12345E-4", 3, 1235],
  ["2e-40", 3, 0],
  ["9007199254740991", 0, 9_007_199_254_740_991],
  ["9007199254740992", 0, undefined],
  ["1e300", 0, undefined],
  ["-1", 0, undefined],
])("%s with %i decimals is %s", (text, scale, value) => {
  expect(readJsonNumber(text, scale)).toBe(value);
});
