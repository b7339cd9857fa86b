/** Measures computed directly from their definition. The optimised code must match. */

import * as fc from "fast-check";
import type {
  MeasureKind,
  MeasureSeries,
  MeasureTable,
} from "../../src/model/measures/measure-table.ts";

/** One value of a series, given in billionths. */
export interface PlainValue {
  readonly series: MeasureSeries;
  readonly unixMillis: number;
  readonly nanos: bigint;
}

const kinds = ["counter", "gauge", "rate", "distribution"] as const;

const series: fc.Arbitrary<MeasureSeries> = fc.record({
  label: fc.constantFrom(undefined, 0, 1, 3),
  name: fc.constantFrom("cpu", "connect", "\uff5e", "\u{1f319}"),
  unit: fc.constantFrom("", "ms"),
  kind: fc.constantFrom(...kinds),
  tags: fc.constantFrom<MeasureSeries["tags"]>(
    [],
    [["host", "a"]],
    [
      ["cpu", "0"],
      ["host", "a"],
    ],
  ),
});

/** Up to a million exact to a billionth, and large integers. */
const nanos = fc.oneof(
  fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
  fc.integer({ min: -5000, max: 5000 }).map((whole) => BigInt(whole) * 10n ** 9n),
  fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }).map((whole) => whole * 10n ** 9n),
);

const unixMillis = fc.oneof(
  fc.integer({ min: 0, max: 3999 }),
  fc.integer({ min: 1.79e12, max: 1.79e12 + 3999 }),
  fc.integer({ min: 1.79e12 + 55_000, max: 1.79e12 + 65_000 }),
);

export const measuresArbitrary: fc.Arbitrary<PlainValue[]> = fc.array(
  fc
    .record({ series, unixMillis, nanos })
    .map((value) => (value.series.kind === "rate" ? { ...value, nanos: oneOrNone(value) } : value)),
  { maxLength: 40 },
);

function oneOrNone({ nanos: value }: PlainValue): bigint {
  return value % 2n === 0n ? 0n : 10n ** 9n;
}

/** Exact for the integers of `measuresArbitrary`, nearest otherwise. */
export function numberOf(nanosValue: bigint): number {
  return nanosValue % 10n ** 9n === 0n ? Number(nanosValue / 10n ** 9n) : Number(nanosValue) / 1e9;
}

/** The table of these values in canonical order. */
export function measureTable(values: readonly PlainValue[]): MeasureTable {
  const all = distinct(values.map((value) => value.series)).toSorted(compare);
  const numbers = new Map(all.map((each, number) => [JSON.stringify(each), number]));
  const numberOfSeries = (value: PlainValue) => numbers.get(JSON.stringify(value.series)) ?? -1;
  const rowsBy = (secondOf: (value: PlainValue) => number, kind?: MeasureKind) =>
    [
      ...Map.groupBy(
        values.filter((value) => kind === undefined || value.series.kind === kind),
        (value) => `${numberOfSeries(value)} ${secondOf(value)}`,
      ).values(),
    ].toSorted((left, right) => {
      const [first, second] = [left[0] as PlainValue, right[0] as PlainValue];
      return numberOfSeries(first) - numberOfSeries(second) || secondOf(first) - secondOf(second);
    });
  const secondOf = ({ unixMillis: at }: PlainValue) => Math.floor(at / 1000);
  const minuteOf = (value: PlainValue) => Math.floor(secondOf(value) / 60) * 60;
  const sums = rowsBy(secondOf);
  const gauges = rowsBy(secondOf, "gauge");
  const histograms = rowsBy(minuteOf, "distribution");
  const buckets = histograms.map((row) => bucketsOf(row));
  const key = (rows: readonly PlainValue[][]) =>
    Uint32Array.from(rows, (row) => numberOfSeries(row[0] as PlainValue));
  const extreme = (rows: readonly PlainValue[][], pick: "min" | "max") =>
    Float64Array.from(rows, (row) => Math[pick](...row.map((value) => numberOf(value.nanos))));
  const total = (row: readonly PlainValue[]) => row.reduce((sum, value) => sum + value.nanos, 0n);
  const lasts = gauges.map(
    (row) =>
      row.toSorted(
        (left, right) =>
          left.unixMillis - right.unixMillis || numberOf(left.nanos) - numberOf(right.nanos),
      )[row.length - 1] as PlainValue,
  );
  return {
    series: all,
    sums: {
      series: key(sums),
      second: Uint32Array.from(sums, (row) => secondOf(row[0] as PlainValue)),
      count: Float64Array.from(sums, (row) => row.length),
      sumMillions: Float64Array.from(sums, (row) => Number(floorDivide(total(row)))),
      sumNanos: Float64Array.from(sums, (row) =>
        Number(total(row) - floorDivide(total(row)) * 10n ** 15n),
      ),
    },
    gauges: {
      series: key(gauges),
      second: Uint32Array.from(gauges, (row) => secondOf(row[0] as PlainValue)),
      min: extreme(gauges, "min"),
      max: extreme(gauges, "max"),
      last: Float64Array.from(lasts, (value) => numberOf(value.nanos)),
      lastAtMillis: Uint32Array.from(lasts, (value) => value.unixMillis % 1000),
    },
    histograms: {
      series: key(histograms),
      minute: Uint32Array.from(histograms, (row) => minuteOf(row[0] as PlainValue)),
      min: extreme(histograms, "min"),
      max: extreme(histograms, "max"),
      bucketsFrom: Uint32Array.from(
        buckets.reduce((from, own) => [...from, (from.at(-1) ?? 0) + own.length], [0]),
      ),
      bucket: Uint16Array.from(buckets.flat(), ([bucket]) => bucket),
      bucketCount: Float64Array.from(buckets.flat(), ([, count]) => count),
    },
    unstored: { series: 0, name: 0, tags: 0, value: 0, time: 0 },
  };
}

function bucketsOf(row: readonly PlainValue[]): [bucket: number, count: number][] {
  const counts = new Map<number, number>();
  for (const value of row) {
    const bucket = plainBucket(numberOf(value.nanos));
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return [...counts].toSorted(([left], [right]) => left - right);
}

/** 64 buckets per power of two from 2^-30 on, on both sides of 0. */
export function plainBucket(value: number): number {
  const size = Math.abs(value);
  if (size < 2 ** -30) return 83 * 64;
  let octave = -30;
  while (size >= 2 ** (octave + 1)) octave += 1;
  const distance = 1 + (octave + 30) * 64 + Math.floor((size / 2 ** octave - 1) * 64);
  return 83 * 64 + Math.sign(value) * distance;
}

function floorDivide(nanosValue: bigint): bigint {
  const million = 10n ** 15n;
  const quotient = nanosValue / million;
  return nanosValue < 0n && quotient * million !== nanosValue ? quotient - 1n : quotient;
}

function distinct(all: readonly MeasureSeries[]): MeasureSeries[] {
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

function compare(left: MeasureSeries, right: MeasureSeries): number {
  const [ownTags, otherTags] = [left.tags.flat(), right.tags.flat()];
  const tag = ownTags.findIndex((text, at) => text !== otherTags[at]);
  return (
    (left.label ?? -1) - (right.label ?? -1) ||
    bytes(left.name, right.name) ||
    bytes(left.unit, right.unit) ||
    kinds.indexOf(left.kind) - kinds.indexOf(right.kind) ||
    (tag < 0 || otherTags[tag] === undefined
      ? ownTags.length - otherTags.length
      : bytes(ownTags[tag] ?? "", otherTags[tag]))
  );
}

function bytes(text: string, other: string): number {
  return Buffer.compare(Buffer.from(text), Buffer.from(other));
}
