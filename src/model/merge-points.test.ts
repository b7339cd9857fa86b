import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsOf, type PlainSample, samplesArbitrary } from "../../test/support/plain-points.ts";
import type { DataPoints } from "./data-points.ts";
import { mergePoints } from "./merge-points.ts";

const parts = fc.array(samplesArbitrary, { maxLength: 4 });

test("merging equals aggregating all samples at once, however they were split", () => {
  fc.assert(
    fc.property(parts, (split: PlainSample[][]) => {
      const merged = mergePoints(split.map((samples) => pointsOf(samples)));
      expect(merged).toEqual(pointsOf(split.flat()));
    }),
  );
});

test("merging is commutative and associative", () => {
  fc.assert(
    fc.property(samplesArbitrary, samplesArbitrary, samplesArbitrary, (a, b, c) => {
      const [left, middle, right] = [pointsOf(a), pointsOf(b), pointsOf(c)];
      const all = mergePoints([left, middle, right]);
      expect(mergePoints([right, left, middle])).toEqual(all);
      expect(mergePoints([left, mergePoints([middle, right])])).toEqual(all);
      expect(mergePoints([mergePoints([left, middle]), right])).toEqual(all);
    }),
  );
});

test("no parts merge to no points", () => {
  expect(mergePoints([]).second).toHaveLength(0);
});

test("a sum beyond 2^53 - 1 is refused, and 2^53 - 1 itself is exact", () => {
  const large = pointOf(Number.MAX_SAFE_INTEGER - 1);
  const one = pointOf(1);
  expect(mergePoints([large, one]).elapsedMicros[0]).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => mergePoints([large, one, one])).toThrow("2^53 - 1");
});

function pointOf(elapsedMicros: number): DataPoints {
  return pointsOf([{ endpoint: 0, second: 7, elapsedMicros, receivedBytes: 0, failed: false }]);
}
