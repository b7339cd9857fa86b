import { expect, test } from "vitest";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import { NO_MEASURES } from "../../model/measures/measure-table.ts";
import { decimalOf } from "../../model/measures/decimal-sum.ts";
import { EndpointMinutes } from "./endpoint-measures.ts";

function sumsOf(values: readonly (readonly [unixMillis: number, value: number])[]) {
  const accumulator = new MeasureAccumulator();
  const measure = { name: "waiting", unit: "ms", kind: "distribution", tags: [] } as const;
  const whole = accumulator.seriesOf({ ...measure, label: undefined });
  const own = accumulator.seriesOf({ ...measure, label: 0 });
  const phases = new EndpointMinutes(accumulator);
  phases.open(own, whole);
  for (const [unixMillis, value] of values) {
    expect(phases.add(own, unixMillis, value)).toBe(whole);
  }
  expect(phases.add(whole, 0, 1)).toBe(whole);
  phases.flush();
  const { sums, histograms } = accumulator.take() ?? NO_MEASURES;
  return Array.from(sums.second, (second, row) => [
    second,
    sums.count[row],
    decimalOf(sums, row),
    histograms.min[row],
    histograms.max[row],
  ]);
}

test("the sum of a minute is exact, where that of binary fractions is not", () => {
  const tenths = Array.from({ length: 20_000 }, () => [60_000, 123.1] as const);
  expect(tenths.reduce((sum, [, value]) => sum + value, 0)).not.toBe(2_462_000);
  expect(sumsOf(tenths)).toEqual([[60, 20_000, 2_462_000, 123.1, 123.1]]);
});

test("values that are large, negative or beyond what can be stored", () => {
  const values = [2.5, 1e6, -1e15, 1e15, Number.NaN, Infinity].map((value) => [0, value] as const);
  expect(sumsOf([...values, [Number.NaN, 1]])).toEqual([[0, 4, 1_000_002.5, -1e15, 1e15]]);
});

test("minutes in any order", () => {
  const values = [119_999, 60_000, 120_000, 61_000].map((unixMillis) => [unixMillis, 1] as const);
  expect(sumsOf(values)).toEqual([
    [60, 3, 3, 1, 1],
    [120, 1, 1, 1, 1],
  ]);
});
