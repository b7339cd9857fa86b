import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measuresArbitrary, measureTable } from "../../../../test/support/plain-measures.ts";
import { mergeMeasures } from "../../../model/measures/merge-measures.ts";
import { minuteOf } from "../../../model/measures/measure-table.ts";
import { cutMeasures } from "./encode-blocks.ts";

test("parts are merged tables that add up to the table, and no minute is in two of them", () => {
  fc.assert(
    fc.property(measuresArbitrary, fc.integer({ min: 1, max: 10 }), (values, rowsMax) => {
      const unstored = { series: 1, name: 0, tags: 2, value: 0, time: 0 };
      const table = { ...measureTable(values), unstored };
      const parts = [...cutMeasures(table, rowsMax)];
      expect(mergeMeasures(parts)).toEqual(table);
      const minutes = parts.flatMap((part) => {
        expect(mergeMeasures([part, part]).sums.second).toEqual(part.sums.second);
        expect(part.series.length).toBe(new Set(part.sums.series).size);
        const own = [...part.sums.second].map(
          (second, row) =>
            `${JSON.stringify(part.series[part.sums.series[row] ?? 0])} ${minuteOf(second)}`,
        );
        return [...new Set(own)];
      });
      expect(new Set(minutes).size).toBe(minutes.length);
    }),
  );
});
