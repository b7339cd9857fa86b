import * as fc from "fast-check";
import { expect, test } from "vitest";
import { UserError } from "./errors.ts";
import { addExactly, exactNumber, sumOf } from "./exact.ts";

const columns = fc.array(fc.oneof(fc.nat(), fc.maxSafeNat()), { maxLength: 9 });

test("a column is summed up exactly, whether the sum passes 2^53 or not", () => {
  fc.assert(
    fc.property(columns, (values) => {
      const expected = values.reduce((sum, value) => sum + BigInt(value), 0n);
      expect(sumOf(Float64Array.from(values))).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

const MOST = Number.MAX_SAFE_INTEGER;

test.each([
  [[], 0n],
  [[5], 5n],
  [[5, 6], 11n],
  [[MOST, 0], 9_007_199_254_740_991n],
  [[MOST, 1], 9_007_199_254_740_992n],
  [[1, MOST - 1, 1], 9_007_199_254_740_992n],
  [[MOST, MOST, MOST, 2], 27_021_597_764_222_975n],
])("the sum of %j is %d", (values, sum) => {
  expect(sumOf(Float64Array.from(values))).toBe(sum);
});

test("2^53 - 1 is the largest sum and the largest number", () => {
  expect(addExactly(MOST - 7, 7)).toBe(MOST);
  expect(exactNumber(BigInt(MOST))).toBe(MOST);
  expect(() => addExactly(MOST - 7, 8)).toThrow(
    new UserError("sum-too-large", "9007199254740984 + 8 exceeds 2^53 - 1"),
  );
  expect(() => exactNumber(2n ** 53n)).toThrow(
    new UserError("sum-too-large", "9007199254740992 exceeds 2^53 - 1"),
  );
});
