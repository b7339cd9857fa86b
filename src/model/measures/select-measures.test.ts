import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measuresArbitrary, measureTable } from "../../../test/support/plain-measures.ts";
import { mergeMeasures } from "./merge-measures.ts";
import { measuresWithin, selectSeries } from "./select-measures.ts";

test("selected and renamed series are those of the values that have them", () => {
  fc.assert(
    fc.property(measuresArbitrary, (values) => {
      const selected = selectSeries(measureTable(values), (series) =>
        series.label === 1 ? undefined : { ...series, label: undefined },
      );
      const wanted = values
        .filter(({ series }) => series.label !== 1)
        .map((value) => ({ ...value, series: { ...value.series, label: undefined } }));
      expect(mergeMeasures([selected])).toEqual(measureTable(wanted));
    }),
  );
});

const range = { from: 2, until: 1_790_000_060 };

test("a range has the sums and gauges of its seconds", () => {
  fc.assert(
    fc.property(measuresArbitrary, (values) => {
      const within = mergeMeasures([measuresWithin(measureTable(values), range)]);
      const wanted = measureTable(
        values.filter(({ unixMillis }) => unixMillis >= 2000 && unixMillis < range.until * 1000),
      );
      expect(within.series).toEqual(wanted.series);
      expect(within.sums).toEqual(wanted.sums);
      expect(within.gauges).toEqual(wanted.gauges);
      expect(within.histograms.minute).toEqual(wanted.histograms.minute);
    }),
  );
});

test("of a minute that the range cuts, neither distribution nor extremes are known", () => {
  const series = { label: 0, name: "a", unit: "", kind: "distribution", tags: [] } as const;
  const values = [1000, 2000, 61_000].map((unixMillis) => ({
    series,
    unixMillis,
    nanos: 10n ** 9n,
  }));
  const { histograms } = measuresWithin(measureTable(values), { from: 2, until: 100 });
  expect([...histograms.minute]).toEqual([0, 60]);
  expect([...histograms.min]).toEqual([-Infinity, 1]);
  expect([...histograms.max]).toEqual([Infinity, 1]);
  expect([...histograms.bucketsFrom]).toEqual([0, 0, 1]);
});
