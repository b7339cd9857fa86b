import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { measuresArbitrary, measureTable } from "../../test/support/plain-measures.ts";
import type { MeasureTable } from "../model/measures/measure-table.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import { selectSeries } from "../model/measures/select-measures.ts";
import { decodeBatch, encodeBatch } from "./batch.ts";
import { base64OfMeasures, measuresInHead } from "./wire-measures.ts";

const LABELS = ["a", "unused", "b", "c"];

test("measures survive a round trip, with labels that only they use", () => {
  fc.assert(
    fc.property(measuresArbitrary, (values) => {
      const batch = { ...batchOf([], { measures: measureTable(values) }), labels: LABELS };
      const { measures, labels } = decodeBatch(encodeBatch(batch));
      expect(measures && named(measures, labels)).toEqual(
        named(batch.measures as MeasureTable, LABELS),
      );
      const back =
        measures &&
        selectSeries(measures, (series) =>
          series.label === undefined
            ? series
            : { ...series, label: LABELS.indexOf(labels[series.label] ?? "") },
        );
      expect(back && mergeMeasures([back])).toEqual(batch.measures);
    }),
  );
});

function named({ series: all }: MeasureTable, names: readonly string[]) {
  return all.map(({ label, ...series }) => ({ ...series, label: names[label ?? -1] }));
}

test("a batch without measures does not say so, as older servers expect", () => {
  expect(Buffer.from(encodeBatch(batchOf([sample("a", 1)]))).includes('"measures"')).toBe(false);
});

const series = { label: 0, name: "wait", unit: "ms", tags: [] } as const;
const GOOD = measureTable(
  (["distribution", "gauge"] as const).map((kind) => ({
    series: { ...series, kind },
    unixMillis: 1000,
    nanos: 5n * 10n ** 9n,
  })),
);
const { sums, gauges, histograms } = GOOD;

test.each<[string, Partial<MeasureTable>, RegExp]>([
  ["a label that is not there", { series: [{ ...series, kind: "rate", label: 9 }] }, /series 0/],
  ["no name", { series: GOOD.series.map((each) => ({ ...each, name: "" })) }, /series 0/],
  ["another kind", { series: [{ ...series, kind: "sum" as "rate" }] }, /series 0/],
  [
    "tags that are no texts",
    { series: [{ ...series, kind: "rate", tags: [[1 as never, "a"]] }] },
    /series 0/,
  ],
  [
    "a series that is not there",
    { sums: { ...sums, series: Uint32Array.of(0, 7) } },
    /series of sums 1.*7/,
  ],
  ["no value", { sums: { ...sums, count: Float64Array.of(1, 0) } }, /count 1.*0/],
  ["2^40 values of a second", { sums: { ...sums, count: Float64Array.of(1, 2 ** 40) } }, /count 1/],
  [
    "2^40 millions",
    { sums: { ...sums, sumMillions: Float64Array.of(0, -(2 ** 40)) } },
    /millions of sums 1/,
  ],
  ["too many nanos", { sums: { ...sums, sumNanos: Float64Array.of(1e15, 1) } }, /nanos.*0/],
  [
    "a fraction of a million",
    { sums: { ...sums, sumMillions: Float64Array.of(0, 0.5) } },
    /millions of sums 1/,
  ],
  ["NaN", { gauges: { ...gauges, last: Float64Array.of(Number.NaN) } }, /last value 0/],
  [
    "more than nine places",
    { gauges: { ...gauges, min: Float64Array.of(1e-10) } },
    /minimum of gauges/,
  ],
  [
    "a gauge at another second",
    { gauges: { ...gauges, second: Uint32Array.of(2) } },
    /each second of a gauge/,
  ],
  ["a half minute", { histograms: { ...histograms, minute: Uint32Array.of(30) } }, /minute 0.*30/],
  ["another minute", { histograms: { ...histograms, minute: Uint32Array.of(60) } }, /each minute/],
  [
    "more values than there are",
    { histograms: { ...histograms, bucketCount: Float64Array.of(2) } },
    /at most|each minute/,
  ],
  [
    "buckets of nothing",
    { histograms: { ...histograms, bucketsFrom: Uint32Array.of(0, 0) } },
    /histogram 0/,
  ],
  ["2^40 values left out", { unstored: { ...GOOD.unstored, name: 2 ** 40 } }, /unstored.*at most/],
  ["counts that are none", { unstored: { ...GOOD.unstored, name: -1 } }, /unstored/],
])("%s is refused", (_, changed, message) => {
  const measures = { ...GOOD, ...changed };
  expect(() => measuresInHead(base64OfMeasures(measures), ["a"])).toThrow(message);
});

test("the good measures are not refused", () => {
  const batch = { ...batchOf([sample("a", 1)]), measures: GOOD };
  expect(decodeBatch(encodeBatch(batch)).measures).toEqual(GOOD);
});
