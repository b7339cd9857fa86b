import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measuresArbitrary, measureTable, numberOf } from "../../test/support/plain-measures.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import { type MeasureSeries, NO_MEASURES } from "../model/measures/measure-table.ts";
import { VALUE_BUCKETS, valueBucketOf, ZERO_BUCKET } from "../model/measures/value-buckets.ts";
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

/** Sums of eighths are exact. */
const inEighths = (value: number): number => Math.floor(value * 8) / 8;

test("a minute adds what its values do", () => {
  const minute = fc.array(
    fc.tuple(fc.nat({ max: 59 }), fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e6, noNaN: true }))),
    { minLength: 1 },
  );
  const kinds = fc.constantFrom("distribution" as const, "counter" as const);
  fc.assert(
    fc.property(minute, kinds, (values, kind) => {
      const [singly, together] = [new MeasureAccumulator(), new MeasureAccumulator()];
      const series = singly.seriesOf({ ...gauge, kind });
      together.seriesOf({ ...gauge, kind });
      const seconds = new Float64Array(120);
      const buckets = new Uint32Array(VALUE_BUCKETS - ZERO_BUCKET);
      for (const [second, value] of values) {
        const exact = inEighths(value);
        singly.add(series, (120 + second) * 1000, exact);
        seconds[2 * second] = (seconds[2 * second] as number) + 1;
        seconds[2 * second + 1] = (seconds[2 * second + 1] as number) + exact;
        const bucket = valueBucketOf(exact) - ZERO_BUCKET;
        buckets[bucket] = (buckets[bucket] as number) + 1;
      }
      const all = values.map(([, value]) => inEighths(value));
      const [min, max] = [Math.min(...all), Math.max(...all)];
      together.addMinute(series, 120, { seconds, min, max, buckets });
      expect(together.take()).toEqual(singly.take());
    }),
  );
});

test("sums that cannot be stored are counted by their reason", () => {
  const accumulator = new MeasureAccumulator();
  const cells = Float64Array.of(7, 2, 6, 1, 5, 3, 2 ** 53, 1, 5);
  const series = accumulator.seriesOf({ ...gauge, kind: "distribution" });
  accumulator.addSums(series, 90, cells, 1);
  accumulator.addSums(series, 90, cells, 5);
  accumulator.addSums(accumulator.seriesOf({ ...gauge, name: "" }), 90, cells, 1);
  accumulator.addSums(series, 2 ** 32, cells, 1);
  const { sums, histograms, unstored } = accumulator.take() ?? NO_MEASURES;
  expect([...sums.second, ...sums.count, ...sums.sumNanos]).toEqual([90, 2, 6e9]);
  expect([...histograms.minute, ...histograms.min, ...histograms.max]).toEqual([60, 1, 5]);
  expect([...histograms.bucket]).toEqual([]);
  expect(unstored).toEqual({ series: 0, name: 2, tags: 0, value: 3, time: 2 });
});

test("values without a place are counted by the name of their measure", () => {
  const accumulator = new MeasureAccumulator();
  const tags = Array.from({ length: 17 }, (_, tag) => [`t${tag}`, "v"] as const);
  const wide = accumulator.seriesOf({ ...gauge, name: "wide", tags });
  for (const second of [1, 2]) accumulator.add(wide, second * 1000, 5);
  for (let host = 0; host < 2001; host++) {
    accumulator.add(accumulator.seriesOf({ ...gauge, tags: [["host", `${host}`]] }), 1000, 5);
  }
  expect(accumulator.unread).toEqual([
    { name: "wide", values: 2 },
    { name: "cpu", values: 1 },
  ]);
  expect(accumulator.take()?.unstored).toMatchObject({ tags: 2, series: 1 });
});
