/** Totals since some start that their sender calls a gauge. */

import { viewRows } from "../columns.ts";
import { addValue } from "./decimal-sum.ts";
import type { MeasureSeries, MeasureTable } from "./measure-table.ts";

/** Names by which Telegraf and exporters of Prometheus send totals since the start of a machine or process. */
const TOTAL_NAME =
  /(?:^|[._])(?:(?:bytes|packets)_(?:sent|recv)|(?:err|drop)_(?:in|out)|(?:merged_)?(?:reads|writes)|(?:read|write)_(?:bytes|time)|(?:weighted_)?io_time|context_switches|interrupts|processes_forked)$|_total$/;

/** Values for each restart, at least: a gauge that falls more often is no total. */
const VALUES_PER_RESTART = 10;

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
  const { last } = gauges;
  if (last.length < 2 || fallsOf(last) > last.length / VALUES_PER_RESTART) return table;
  const grown = viewRows(sums, 1, sums.second.length);
  const sum = {
    sumMillions: new Float64Array(grown.second.length),
    sumNanos: new Float64Array(grown.second.length),
  };
  for (let row = 1; row < last.length; row++) {
    const [before, after] = [last[row - 1] as number, last[row] as number];
    // After a restart the total began at 0.
    addValue(sum, row - 1, after < before ? after : after - before);
  }
  return {
    ...table,
    series: [{ ...own, kind: "counter" }],
    sums: { ...grown, ...sum },
    gauges: viewRows(gauges, 0, 0),
  };
}

function fallsOf(values: Float64Array): number {
  return values.reduce(
    (falls, value, row) => falls + Number(value < (values[row - 1] ?? value)),
    0,
  );
}
