import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measuresArbitrary, measureTable } from "../../../test/support/plain-measures.ts";
import type { MeasureTable } from "../../model/measures/measure-table.ts";
import { packMeasures } from "./block-kernel.ts";
import { packOddMeasures } from "./measures-segment.ts";

test("any measures have the same bytes as in TypeScript", () => {
  fc.assert(
    fc.property(measuresArbitrary, (values) => {
      const table = measureTable(values);
      expect(inWebAssembly(table)).toEqual(inTypeScript(table));
    }),
    { numRuns: 500 },
  );
});

test("extremes that are not recorded have the same bytes", () => {
  const unknown = fc.array(fc.boolean(), { minLength: 1 });
  fc.assert(
    fc.property(measuresArbitrary, unknown, (values, isUnknown) => {
      const { gauges, histograms, ...table } = measureTable(values);
      const without = (column: Float64Array, extreme: number) =>
        column.map((value, row) => (isUnknown[row % isUnknown.length] === true ? extreme : value));
      const cut = <Columns extends { readonly min: Float64Array; readonly max: Float64Array }>(
        columns: Columns,
      ) => ({
        ...columns,
        min: without(columns.min, -Infinity),
        max: without(columns.max, Infinity),
      });
      const odd = { ...table, gauges: cut(gauges), histograms: cut(histograms) };
      expect(inWebAssembly(odd)).toEqual(inTypeScript(odd));
    }),
  );
});

test("a block of as many seconds as fit is packed in WebAssembly, more are not", () => {
  const most = gaugeOf(16_448);
  expect(inWebAssembly(most)).toEqual(inTypeScript(most));
  expect(packMeasures(gaugeOf(16_449))).toBeUndefined();
});

/** Copies: the views of the kernel change with the next block. */
const inWebAssembly = (table: MeasureTable) =>
  packMeasures(table)?.map((part) => Buffer.from(part));
const inTypeScript = (table: MeasureTable) =>
  packOddMeasures(table).map((part) => Buffer.from(part));

function gaugeOf(seconds: number): MeasureTable {
  const series = { label: undefined, name: "cpu", unit: "%", kind: "gauge", tags: [] } as const;
  return measureTable(
    Array.from({ length: seconds }, (_, second) => ({
      series,
      unixMillis: (second + 1) * 1000,
      nanos: BigInt(second % 97) * 10n ** 7n,
    })),
  );
}
