import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quotientText, writeAverageSeconds, writeInteger, writeQuotient } from "./write-number.ts";

const anyInteger = fc.oneof(
  fc.nat(2000),
  fc.nat(2 ** 31 - 1),
  fc.maxSafeNat(),
  fc
    .integer({ min: 0, max: 15 })
    .chain((power) =>
      fc.integer({ min: -2, max: 2 }).map((step) => Math.max(0, 10 ** power + step)),
    ),
);

test("an integer is written as JavaScript writes it", () => {
  fc.assert(
    fc.property(anyInteger, (value) => {
      expect(written((view) => writeInteger(view, 0, value))).toBe(String(value));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  [0, 0, "0"],
  [7, 0, "0"],
  [0, 7, "0"],
  [7, 1, "7"],
  [1, 3, "0.333333"],
  [2, 3, "0.666667"],
  [1, 2_000_000, "0.000001"],
  [1, 2_000_001, "0"],
  [3, 2_000_000, "0.000002"],
  [9_999_999, 10_000_000, "1"],
  [19_999_999, 10_000_000, "2"],
  [10, 4, "2.5"],
  [1001, 1000, "1.001"],
  [1_000_100, 1_000_000, "1.0001"],
  [2 ** 53 - 1, 2, "4503599627370495.5"],
  [2 ** 53 - 1, 2 ** 53 - 1, "1"],
  [2 ** 53 - 2, 2 ** 53 - 1, "1"],
])("%d / %d is written as %s", (numerator, denominator, text) => {
  expect(written((view) => writeQuotient(view, 0, numerator, denominator))).toBe(text);
  expect(quotientText(BigInt(numerator), BigInt(denominator))).toBe(text);
});

test("exactly one half is rounded away from zero, and a little less is not, at any size", () => {
  fc.assert(
    fc.property(fc.nat(999_998), fc.integer({ min: 1, max: 2 ** 31 }), (millionths, scale) => {
      const half = (2 * millionths + 1) * scale;
      const above = asFraction(millionths + 1);
      const below = asFraction(millionths);
      expect(written((view) => writeQuotient(view, 0, half, 2_000_000 * scale))).toBe(above);
      expect(written((view) => writeQuotient(view, 0, half - 1, 2_000_000 * scale))).toBe(below);
    }),
    { numRuns: 3000 },
  );
});

test("an average of microseconds is the quotient in seconds", () => {
  fc.assert(
    fc.property(anyInteger, anyInteger, (sum, count) => {
      expect(written((view) => writeAverageSeconds(view, 0, sum, count))).toBe(
        quotientText(BigInt(sum), BigInt(count) * 1_000_000n),
      );
    }),
    { numRuns: 3000 },
  );
});

function asFraction(millionths: number): string {
  return (millionths / 1e6).toFixed(6).replace(/\.?0+$/, "");
}

/** The output of `write`, with surrounding bytes that it must not count. */
function written(write: (view: DataView) => number): string {
  const bytes = new Uint8Array(64).fill(0x23);
  const end = write(new DataView(bytes.buffer));
  return Buffer.from(bytes.subarray(0, end)).toString("latin1");
}
