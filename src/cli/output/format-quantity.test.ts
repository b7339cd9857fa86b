import { expect, test } from "vitest";
import { formatShare } from "./format-quantity.ts";

test.each([
  [0, "0 %"],
  [0.000_05, "< 0.01 %"],
  [0.0151, "1.51 %"],
  [0.999, "99.9 %"],
  [0.9994, "> 99.9 %"],
  [0.9996, "> 99.9 %"],
  [0.9999, "> 99.9 %"],
  [0.999_999, "> 99.9 %"],
  [1, "100 %"],
])("a share of %d is %s", (share, text) => {
  expect(formatShare(share)).toBe(text);
});
