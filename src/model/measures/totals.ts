/** Totals since some start that their sender calls a gauge. */

import { viewRows } from "../columns.ts";
import { addValue } from "./decimal-sum.ts";
import type { GaugeColumns, MeasureSeries, MeasureTable } from "./measure-table.ts";

/** Names by which Telegraf and exporters of Prometheus send totals since the start of a machine or process. */
const TOTAL_NAME =
  /(?:^|[._])(?:(?:bytes|packets)_(?:sent|recv)|(?:err|drop)_(?:in|out)|(?:merged_)?(?:reads|writes)|(?:read|write)_(?:bytes|time)|(?:weighted_)?io_time|context_switches|interrupts|processes_forked)$|_total$/;

/** Values for each restart, at least: a gauge that falls more often is no total. */
const VALUES_PER_RESTART = 10;

const MILLIS_PER_SECOND = 1000;

/** Whether it is a total if its values allow it. */
export function mayBeTotal({ kind, name }: MeasureSeries): boolean {
  return kind === "gauge" && TOTAL_NAME.test(name);
}

/**
 * Returns the growth of a gauge that is a total since some start, as a counter: its name says so, and it never falls but at
 * restarts. The growth up to the first value is not known. Any other table of one series is returned as it is.
 */
export function asCounter(table: MeasureTable): MeasureTable {
  const { series, sums, gauges } = table;
  const [own] = series;
  if (own === undefined || !mayBeTotal(own)) return table;
  const isLong = isOfSeveralSeconds(table);
  const first = isLong ? 0 : 1;
  if (gauges.last.length <= first || !onlyRises(gauges)) return table;
  const grown = viewRows(sums, first, sums.second.length);
  const count = grown.count.slice();
  if (isLong) count[0] = (count[0] as number) - 1;
  return {
    ...table,
    series: [{ ...own, kind: "counter" }],
    sums: { ...grown, count, ...growthOf(gauges, first) },
    gauges: viewRows(gauges, 0, 0),
  };
}

/** Whether the first row has several values, as a minute that replaces its seconds: its growth counts from the least of them. */
function isOfSeveralSeconds({ sums, gauges: { lastAtMillis, min } }: MeasureTable): boolean {
  const isLong = (lastAtMillis[0] ?? 0) >= MILLIS_PER_SECOND;
  return isLong && (sums.count[0] as number) > 1 && Number.isFinite(min[0]);
}

function onlyRises({ last, max }: GaugeColumns): boolean {
  if (last.length === 1) return max[0] === last[0];
  return fallsOf(last) <= last.length / VALUES_PER_RESTART;
}

/** Of the rows from `first` on, 0 or 1. */
function growthOf({ last, min }: GaugeColumns, first: number) {
  const rows = last.length - first;
  const sum = { sumMillions: new Float64Array(rows), sumNanos: new Float64Array(rows) };
  if (first === 0) addValue(sum, 0, (last[0] as number) - (min[0] as number));
  for (let row = 1; row < last.length; row++) {
    const [before, after] = [last[row - 1] as number, last[row] as number];
    // After a restart the total began at 0.
    addValue(sum, row - first, after < before ? after : after - before);
  }
  return sum;
}

function fallsOf(values: Float64Array): number {
  return values.reduce(
    (falls, value, row) => falls + Number(value < (values[row - 1] ?? value)),
    0,
  );
}
