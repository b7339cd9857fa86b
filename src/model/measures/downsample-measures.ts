import type { MeasureTable } from "./measure-table.ts";
import { mergeMeasures } from "./merge-measures.ts";

/**
 * Merges the rows of each window, a multiple of its length since 1970, into one at its start. The length divides a minute or is
 * some whole ones: histograms stay those of minutes, or become those of windows. Rows before `firstSecond` stay apart from
 * those after it, which begin there. Merging the result again changes nothing. Throws `sum-too-large`.
 */
export function downsampleMeasures(
  table: MeasureTable,
  { windowSeconds, firstSecond }: { readonly windowSeconds: number; readonly firstSecond: number },
): MeasureTable {
  const startOf = (second: number): number => {
    const start = second - (second % windowSeconds);
    return start < firstSecond && firstSecond <= second ? firstSecond : start;
  };
  const { sums, gauges, histograms } = table;
  return mergeMeasures([
    {
      ...table,
      sums: { ...sums, second: sums.second.map(startOf) },
      gauges: {
        ...gauges,
        second: gauges.second.map(startOf),
        lastAtMillis: gauges.lastAtMillis.map((millis, row) => {
          const second = gauges.second[row] as number;
          return millis + (second - startOf(second)) * 1000;
        }),
      },
      histograms: {
        ...histograms,
        minute: histograms.minute.map((minute) => minute - (minute % windowSeconds)),
      },
    },
  ]);
}
