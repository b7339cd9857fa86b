import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measuresArbitrary, measureTable } from "../../../test/support/plain-measures.ts";
import { mergeMeasures } from "./merge-measures.ts";
import { NO_MEASURES } from "./measure-table.ts";

test("merging equals summing up all values at once, however they were split", () => {
  fc.assert(
    fc.property(fc.array(measuresArbitrary, { maxLength: 4 }), (split) => {
      expect(mergeMeasures(split.map(measureTable))).toEqual(measureTable(split.flat()));
    }),
  );
});

test("merging is commutative and associative", () => {
  fc.assert(
    fc.property(measuresArbitrary, measuresArbitrary, measuresArbitrary, (a, b, c) => {
      const [left, middle, right] = [measureTable(a), measureTable(b), measureTable(c)];
      const all = mergeMeasures([left, middle, right]);
      expect(mergeMeasures([right, left, middle])).toEqual(all);
      expect(mergeMeasures([left, mergeMeasures([middle, right])])).toEqual(all);
      expect(mergeMeasures([mergeMeasures([left, middle]), right])).toEqual(all);
    }),
  );
});

test("values that were not stored add up by reason", () => {
  const one = { ...NO_MEASURES, unstored: { series: 1, name: 0, tags: 2, value: 3, time: 0 } };
  expect(mergeMeasures([one, one, NO_MEASURES]).unstored).toEqual({
    series: 2,
    name: 0,
    tags: 4,
    value: 6,
    time: 0,
  });
});

test("values that were not stored never make the others unreadable", () => {
  const most = Number.MAX_SAFE_INTEGER;
  const many = { ...NO_MEASURES, unstored: { ...NO_MEASURES.unstored, value: most } };
  const { sums, unstored } = mergeMeasures([many, measureTable([]), many]);
  expect([sums.second.length, unstored.value]).toEqual([0, most]);
});
