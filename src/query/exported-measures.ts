import { addValue, decimalOf } from "../model/measures/decimal-sum.ts";
import { type MeasureTable, minuteOf } from "../model/measures/measure-table.ts";
import { valueBucketMiddle } from "../model/measures/value-buckets.ts";
import type { Row } from "./exported-rows.ts";
import { distributionOf } from "./measure-figures.ts";

/** Yields the rows of a table of one series: one per second, then of a distribution one per minute. */
export function* measureRows(table: MeasureTable, label: string | undefined): Generator<Row> {
  const [own] = table.series;
  if (own === undefined) return;
  const { name, unit, kind, tags } = own;
  const about = { label: label ?? null, measure: name, unit, kind, tags: tagsText(tags) };
  for (const row of table.sums.second.keys()) yield { ...about, ...sumCells(table, row) };
  if (kind !== "distribution") return;
  for (const cells of minuteCells(table)) yield { ...about, ...cells };
}

/** The exact sum is added where its nearest double is not it. */
function sumCells({ sums, gauges }: MeasureTable, row: number): Row {
  const [millions, nanos] = [sums.sumMillions[row] as number, sums.sumNanos[row] as number];
  const value = decimalOf(sums, row);
  const nearest = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) addValue(nearest, 0, value);
  const isExact = nearest.sumMillions[0] === millions && nearest.sumNanos[0] === nanos;
  return {
    second: BigInt(sums.second[row] as number),
    value_count: BigInt(sums.count[row] as number),
    value_sum: value,
    ...(!isExact && { sum_millions: BigInt(millions), sum_nanos: BigInt(nanos) }),
    ...(gauges.last.length > 0 && {
      value_min: finite(gauges.min[row]),
      value_max: finite(gauges.max[row]),
      value_last: finite(gauges.last[row]),
      last_at_millis: BigInt(gauges.lastAtMillis[row] as number),
    }),
  };
}

function* minuteCells({ sums, histograms }: MeasureTable): Generator<Row> {
  const counts = new Map<number, number>();
  for (const [row, second] of sums.second.entries()) {
    const minute = minuteOf(second);
    counts.set(minute, (counts.get(minute) ?? 0) + (sums.count[row] as number));
  }
  for (const [row, minute] of histograms.minute.entries()) {
    const figures = distributionOf(histograms, row, row + 1, counts.get(minute) ?? 0);
    const [from, until] = [histograms.bucketsFrom[row], histograms.bucketsFrom[row + 1]];
    yield {
      second: BigInt(minute),
      value_min: finite(figures.min),
      value_max: finite(figures.max),
      value_p50: finite(figures.p50),
      value_p95: finite(figures.p95),
      value_p99: finite(figures.p99),
      bucket_values: Array.from(histograms.bucket.subarray(from, until), valueBucketMiddle),
      bucket_counts: Array.from(histograms.bucketCount.subarray(from, until), BigInt),
    };
  }
}

function tagsText(tags: MeasureTable["series"][number]["tags"]): string {
  return `{${tags.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
