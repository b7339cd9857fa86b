import * as fc from "fast-check";
import { expect, test } from "vitest";
import { exactProduct } from "./exact-number.ts";

test.each([
  ["141.11833299998958", 3, 3, 423_355],
  ["2257.176470588235", 17, 0, 38_372],
  ["0.0", 0, 3, 0],
  ["60001", 1, 3, 60_001_000],
  ["5e-05", 20_000, 0, 1],
  ["1.5e+3", 2, 3, 3_000_000],
  ["0.0005", 1, 3, 1],
  ["0.00049", 1, 3, 0],
])("%s times %d with %d decimal places is %d", (decimal, times, scale, product) => {
  expect(exactProduct(decimal, times, scale)).toBe(product);
});

test.each(["", "N/A", "-1", "1.", ".5", "nan", "1e9999", "9007199254740992"])(
  "%j is not a valid number",
  (decimal) => {
    expect(exactProduct(decimal, 1, 0)).toBeUndefined();
  },
);

test("multiplying an average by its count restores the sum of whole numbers", () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.integer({ min: 1, max: 100_000 }), (sum, count) => {
      expect(exactProduct(String(sum / count), count, 0)).toBe(sum);
    }),
  );
});
