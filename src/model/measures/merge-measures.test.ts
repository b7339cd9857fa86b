import { expect, test } from "vitest";
import { testMergeLaws } from "../../../test/support/merge-laws.ts";
import { measuresArbitrary, measureTable } from "../../../test/support/plain-measures.ts";
import { mergeMeasures } from "./merge-measures.ts";
import { NO_MEASURES } from "./measure-table.ts";

testMergeLaws({ rows: measuresArbitrary, tableOf: measureTable, merge: mergeMeasures });

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
