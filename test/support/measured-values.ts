import type { MeasureTable } from "../../src/model/measures/measure-table.ts";

/** A row of measures: of a gauge with its last value, of a distribution with the values of its buckets. */
export interface MeasuredValue {
  readonly name: string;
  readonly unit: string;
  readonly kind: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly second: number;
  readonly count: number;
  readonly sum: number;
  readonly last?: number;
}

/** The rows of a table, as plain values in its order. */
export function measuredValues(table: MeasureTable | undefined): readonly MeasuredValue[] {
  if (table === undefined) return [];
  const { series, sums, gauges } = table;
  return Array.from(sums.series, (number, row) => {
    const own = series[number];
    if (own === undefined) throw new Error(`no series ${number}`);
    const { name, unit, kind, tags } = own;
    const second = sums.second[row] ?? 0;
    const gauge = gauges.series.findIndex(
      (each, at) => each === number && gauges.second[at] === second,
    );
    return {
      name,
      unit,
      kind,
      tags: Object.fromEntries(tags),
      second,
      count: sums.count[row] ?? 0,
      sum: (sums.sumMillions[row] ?? 0) * 1e6 + (sums.sumNanos[row] ?? 0) / 1e9,
      ...(gauge === -1 ? {} : { last: gauges.last[gauge] ?? 0 }),
    };
  });
}
