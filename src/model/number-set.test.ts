import * as fc from "fast-check";
import { expect, test } from "vitest";
import { numbersWhere } from "./row-groups.ts";

test("returns the same numbers as `filter` and takes no more memory", () => {
  fc.assert(
    fc.property(fc.uint32Array(), fc.integer({ min: 1, max: 4 }), (numbers, divisor) => {
      const isWanted = (number: number): boolean => number % divisor === 0;
      const wanted = numbersWhere(numbers, isWanted);
      expect(wanted).toEqual(numbers.filter(isWanted));
      expect(wanted.buffer.byteLength).toBe(wanted.byteLength);
    }),
  );
});
