import type { MeasureKind, MeasureTable } from "../../src/model/measures/measure-table.ts";
import type { UnstoredValues } from "../../src/model/measures/measure-table.ts";
import { valueBucketMiddle } from "../../src/model/measures/value-buckets.ts";

/** What was measured under one name, over the entire source. */
export interface DecodedMeasure {
  readonly label: string | undefined;
  readonly name: string;
  readonly unit: string;
  readonly kind: MeasureKind;
  readonly tags: Readonly<Record<string, string>>;
  readonly count: number;
  /** To 10^-9. */
  readonly sum: number;
  /** Of gauges and distributions. */
  readonly min?: number;
  readonly max?: number;
  /** Of gauges. */
  readonly last?: number;
  /** Second, count and sum in millions and 10^-9. */
  readonly seconds: readonly (readonly number[])[];
  /** Middles of buckets of distributions, with their counts by minute. */
  readonly buckets: readonly (readonly number[])[];
}

export interface DecodedMeasures {
  readonly all: readonly DecodedMeasure[];
  readonly unstored: UnstoredValues;
}

/** The same for the same measurements, whatever numbers their labels have. */
export function decodedMeasures(table: MeasureTable, labels: readonly string[]): DecodedMeasures {
  const all = table.series.map((series, number) => {
    const { sums, gauges, histograms } = table;
    const rowsOf = (column: Uint32Array) =>
      [...column.keys()].filter((row) => column[row] === number);
    const seconds = rowsOf(sums.series).map((row) =>
      [sums.second, sums.count, sums.sumMillions, sums.sumNanos].map((each) => each[row] ?? 0),
    );
    const minutes = rowsOf(histograms.series);
    const levels = rowsOf(gauges.series);
    const min = [
      ...minutes.map((row) => histograms.min[row]),
      ...levels.map((row) => gauges.min[row]),
    ];
    const max = [
      ...minutes.map((row) => histograms.max[row]),
      ...levels.map((row) => gauges.max[row]),
    ];
    const nanos = seconds.reduce((sum, [, , millions = 0, rest = 0]) => {
      return sum + BigInt(millions) * 10n ** 15n + BigInt(rest);
    }, 0n);
    return {
      label: series.label === undefined ? undefined : labels[series.label],
      name: series.name,
      unit: series.unit,
      kind: series.kind,
      tags: Object.fromEntries(series.tags),
      count: seconds.reduce((sum, [, count = 0]) => sum + count, 0),
      sum: Number(nanos) / 1e9,
      ...(min.length > 0 && { min: Math.min(...min.map((each) => each ?? 0)) }),
      ...(max.length > 0 && { max: Math.max(...max.map((each) => each ?? 0)) }),
      ...(levels.length > 0 && { last: gauges.last[levels.at(-1) ?? 0] ?? 0 }),
      seconds,
      buckets: minutes.flatMap((row) => bucketsOf(table, row)),
    };
  });
  const sorted = all.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
  return { all: sorted, unstored: table.unstored };
}

function bucketsOf({ histograms }: MeasureTable, row: number): number[][] {
  const { minute, bucketsFrom, bucket, bucketCount } = histograms;
  const entries = Array.from(
    { length: (bucketsFrom[row + 1] ?? 0) - (bucketsFrom[row] ?? 0) },
    (_, entry) => (bucketsFrom[row] ?? 0) + entry,
  );
  return entries.map((entry) => [
    minute[row] ?? 0,
    valueBucketMiddle(bucket[entry] ?? 0),
    bucketCount[entry] ?? 0,
  ]);
}

function keyOf({ label = "", name, unit, kind, tags }: DecodedMeasure): string {
  return JSON.stringify([label, name, unit, kind, tags]);
}

/** Value below which a share of the values of a distribution lies; to the width of a bucket. */
export function quantileOf({ buckets }: DecodedMeasure, share: number): number {
  const sorted = buckets.toSorted(([, left = 0], [, right = 0]) => left - right);
  const total = sorted.reduce((sum, [, , count = 0]) => sum + count, 0);
  let below = 0;
  for (const [, middle = 0, count = 0] of sorted) {
    below += count;
    if (below >= share * total) return middle;
  }
  return Number.NaN;
}
