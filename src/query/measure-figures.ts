import type { MeasuresJson } from "../api/measures.ts";
import { rankOf } from "../model/histogram.ts";
import { addDecimal, decimalOf } from "../model/measures/decimal-sum.ts";
import type { MeasureHistograms, MeasureTable } from "../model/measures/measure-table.ts";
import { valueBucketMiddle } from "../model/measures/value-buckets.ts";

/** Figures of the values of one series, at least one value; absent where they are not known, or its kind has none. */
export type MeasureFigures = Pick<
  MeasuresJson["measures"][number],
  "count" | "sum" | "mean" | "min" | "max" | "last" | "p50" | "p95" | "p99"
>;

/** Returns the figures of all rows of a table of one series; `undefined` without any. Throws `sum-too-large`. */
export function figuresOf({ series, sums, gauges, histograms }: MeasureTable) {
  const [first] = series;
  if (first === undefined || sums.count.length === 0) return undefined;
  const { count, sum } = totalOf(sums, 0, sums.count.length);
  const figures = { count, sum, mean: sum / count };
  if (first.kind === "gauge") {
    const last = gauges.last.at(-1) as number;
    return { ...figures, ...extremesOf(gauges, 0, gauges.min.length), last };
  }
  if (first.kind !== "distribution") return figures;
  return { ...figures, ...distributionOf(histograms, 0, histograms.min.length, count) };
}

/** Returns count and sum of the rows `[from, until)`. Throws `sum-too-large`. */
export function totalOf(
  sums: MeasureTable["sums"],
  from: number,
  until: number,
): { readonly count: number; readonly sum: number } {
  const total = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
  let count = 0;
  for (let row = from; row < until; row++) {
    count += sums.count[row] as number;
    addDecimal(total, 0, sums.sumMillions[row] as number, sums.sumNanos[row] as number);
  }
  return { count, sum: decimalOf(total, 0) };
}

type Extremes = Pick<MeasureFigures, "min" | "max">;

/** Returns the extremes of the rows `[from, until)`; each is absent if that of any row is not known. */
export function extremesOf(
  { min, max }: { readonly min: Float64Array; readonly max: Float64Array },
  from: number,
  until: number,
): Extremes {
  let [least, most] = [Infinity, -Infinity];
  for (let row = from; row < until; row++) {
    least = Math.min(least, min[row] as number);
    most = Math.max(most, max[row] as number);
  }
  return {
    ...(Number.isFinite(least) && { min: least }),
    ...(Number.isFinite(most) && { max: most }),
  };
}

/** Returns extremes and percentiles of the minutes `[from, until)`, which have so many values. */
export function distributionOf(
  histograms: MeasureHistograms,
  from: number,
  until: number,
  count: number,
): Omit<MeasureFigures, "count" | "sum" | "mean" | "last"> {
  const extremes = extremesOf(histograms, from, until);
  const counts = new Map<number, number>();
  let total = 0;
  const end = histograms.bucketsFrom[until] as number;
  for (let entry = histograms.bucketsFrom[from] as number; entry < end; entry++) {
    const [bucket, values] = [
      histograms.bucket[entry] as number,
      histograms.bucketCount[entry] as number,
    ];
    counts.set(bucket, (counts.get(bucket) ?? 0) + values);
    total += values;
  }
  // Of some values, only their sum may be known.
  if (total !== count) return extremes;
  const ascending = [...counts].toSorted(([left], [right]) => left - right);
  const at = (quantile: number) => quantileOf(ascending, rankOf(quantile, total), extremes);
  return {
    ...extremes,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
  };
}

function quantileOf(
  buckets: readonly (readonly [bucket: number, count: number])[],
  rank: number,
  { min = -Infinity, max = Infinity }: Extremes,
): number {
  let passed = 0;
  for (const [bucket, count] of buckets) {
    passed += count;
    if (passed >= rank) return Math.min(max, Math.max(min, valueBucketMiddle(bucket)));
  }
  throw new Error(`BUG: rank ${rank} of ${passed} values`);
}
