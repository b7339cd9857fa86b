import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measuresArbitrary, measureTable, numberOf } from "../../test/support/plain-measures.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import { type MeasureSeries, NO_MEASURES } from "../model/measures/measure-table.ts";
import { MeasureAccumulator } from "./measure-accumulator.ts";

const gauge: MeasureSeries = {
  label: undefined,
  name: "cpu",
  unit: "%",
  kind: "gauge",
  tags: [["host", "a"]],
};

test("the table is that of all values, however often it is taken", () => {
  fc.assert(
    fc.property(measuresArbitrary, fc.nat({ max: 40 }), (values, takenAfter) => {
      const accumulator = new MeasureAccumulator();
      const taken = [];
      for (const [index, { series, unixMillis, nanos }] of values.entries()) {
        if (index === takenAfter) taken.push(accumulator.take() ?? NO_MEASURES);
        accumulator.add(accumulator.seriesOf(series), unixMillis, numberOf(nanos));
      }
      taken.push(accumulator.take() ?? NO_MEASURES);
      expect(mergeMeasures(taken)).toEqual(measureTable(values));
      expect(accumulator.take()).toBeUndefined();
    }),
  );
});

test("many values at once are added like single ones", () => {
  fc.assert(
    fc.property(measuresArbitrary, (values) => {
      const [single, many] = [new MeasureAccumulator(), new MeasureAccumulator()];
      const own = values.map((each) => ({ ...each, value: numberOf(each.nanos) }));
      // With a series that does not fit, and a value and a time that cannot be stored.
      const series = own.map((each) => many.seriesOf(each.series));
      for (const each of own) single.add(single.seriesOf(each.series), each.unixMillis, each.value);
      for (const [number, unixMillis, value] of [
        [-1, 5000, 1],
        [many.seriesOf(gauge), 5000, Number.NaN],
        [many.seriesOf(gauge), Number.NaN, 1],
      ] as const) {
        single.seriesOf(gauge);
        single.add(number, unixMillis, value);
        own.push({ series: gauge, unixMillis, value, nanos: 0n });
        series.push(number);
      }
      many.addAll({
        series: Int32Array.from(series),
        unixMillis: Float64Array.from(own, ({ unixMillis }) => unixMillis),
        value: Float64Array.from(own, ({ value }) => value),
      });
      expect(many.take()).toEqual(single.take());
    }),
  );
});

test("decimals add up exactly", () => {
  const accumulator = new MeasureAccumulator();
  const series = accumulator.seriesOf(gauge);
  for (const value of [0.1, 0.2, -0.3, 1e6, -1e6, 0.000_000_001]) {
    accumulator.add(series, 5000, value);
  }
  const { sums } = accumulator.take() ?? NO_MEASURES;
  expect([...sums.sumMillions, ...sums.sumNanos]).toEqual([0, 1]);
});

test("seconds that fall into the same place of the recent ones stay apart", () => {
  const accumulator = new MeasureAccumulator();
  const series = accumulator.seriesOf(gauge);
  for (const second of [0, 64, 0, 128, 64]) accumulator.add(series, second * 1000, 1);
  const { sums } = accumulator.take() ?? NO_MEASURES;
  expect([...sums.second]).toEqual([0, 64, 128]);
  expect([...sums.count]).toEqual([2, 2, 1]);
});

test("tags in any order are the same series", () => {
  const accumulator = new MeasureAccumulator();
  const [one, other]: MeasureSeries["tags"] = [
    ["b", "1"],
    ["a", "2"],
  ];
  expect(accumulator.seriesOf({ ...gauge, tags: [one as never, other as never] })).toBe(
    accumulator.seriesOf({ ...gauge, tags: [other as never, one as never] }),
  );
});

test("what is beyond the limits is counted by its reason", () => {
  const accumulator = new MeasureAccumulator();
  for (let index = 0; index < 2001; index++) {
    accumulator.add(accumulator.seriesOf({ ...gauge, name: `m${index}` }), 1000, 1);
  }
  const add = (changed: Partial<MeasureSeries>, atMs = 1000, value = 1) =>
    accumulator.add(accumulator.seriesOf({ ...gauge, name: "m0", ...changed }), atMs, value);
  add({ name: "" });
  add({ name: "ä".repeat(101) });
  add({ tags: Array.from({ length: 17 }, (_, index) => [`t${index}`, ""] as const) });
  add({}, 1000, Number.NaN);
  add({}, 1000, -Infinity);
  add({}, 1000, 2 ** 53);
  add({}, -1);
  add({}, 2 ** 32 * 1000);
  const { series, unstored } = accumulator.take() ?? NO_MEASURES;
  expect(series).toHaveLength(2000);
  expect(unstored).toEqual({ series: 1, name: 2, tags: 1, value: 3, time: 2 });
});

test("a window adds what it sums up", () => {
  const accumulator = new MeasureAccumulator();
  const series = accumulator.seriesOf({ ...gauge, kind: "distribution" });
  accumulator.addWindow(series, 60_000, { count: 3, sum: 6, min: 1, max: 3, entries: [[2, 3]] });
  accumulator.addWindow(series, 61_000, { count: 1, sum: 2 });
  const ofGauge = accumulator.seriesOf(gauge);
  accumulator.addWindow(ofGauge, 60_500, { count: 2, sum: 6 });
  const { sums, gauges, histograms } = accumulator.take() ?? NO_MEASURES;
  expect([...sums.count]).toEqual([2, 3, 1]);
  expect([...gauges.last, ...gauges.lastAtMillis]).toEqual([3, 500]);
  expect([...gauges.min, ...gauges.max]).toEqual([-Infinity, Infinity]);
  expect([...histograms.minute]).toEqual([60]);
  expect([...histograms.min, ...histograms.max]).toEqual([1, 3]);
  expect([...histograms.bucketCount]).toEqual([4]);
});
