import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addValue, asDecimal, decimalOf } from "./decimal-sum.ts";

const value = fc.oneof(
  fc.double({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1, noNaN: true }),
  fc.double({ min: -1e7, max: 1e7, noNaN: true }),
  fc.double({ min: 2 ** 22, max: 2 ** 23, noNaN: true }),
  fc.integer({ min: -(2 ** 52), max: 2 ** 52 }).map((nanos) => nanos / 1e9),
);

test("a decimal of up to nine places is exact, and what a value counts as counts as itself", () => {
  fc.assert(
    fc.property(value, (each) => {
      const own = asDecimal(each);
      expect(Math.abs(own - each)).toBeLessThanOrEqual(1e-9);
      expect(asDecimal(own)).toBe(own);
      const sums = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
      addValue(sums, 0, own);
      expect(decimalOf(sums, 0)).toBe(own);
    }),
    { numRuns: 2000, examples: [[5710197.5825168155]] },
  );
  for (const exact of [
    -15.928537478, 21.358828119, 3_000_000.25, 0.1, -0.3, 3.14, 999_999.999_999, -1e15, 0,
  ]) {
    expect(asDecimal(exact)).toBe(exact);
  }
});

test("a sum of few nanos keeps its canonical form", () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 20 }), (values) => {
      const sums = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
      for (const each of values) addValue(sums, 0, each);
      expect(sums.sumNanos[0]).toBeGreaterThanOrEqual(0);
      expect(sums.sumNanos[0]).toBeLessThan(1e15);
      expect(Number.isInteger(sums.sumNanos[0])).toBe(true);
    }),
  );
});

test("a sum beyond 2^53 - 1 millions is refused", () => {
  const sums = { sumMillions: Float64Array.of(2 ** 53 - 1), sumNanos: Float64Array.of(0) };
  expect(() => addValue(sums, 0, 1e6)).toThrow(expect.objectContaining({ code: "sum-too-large" }));
});
