import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sumOf } from "./exact.ts";

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
