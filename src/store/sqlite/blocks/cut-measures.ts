import { type MeasureTable, minuteOf, NO_MEASURES } from "../../../model/measures/measure-table.ts";
import { mergeMeasures } from "../../../model/measures/merge-measures.ts";
import { selectRows } from "../../../model/measures/select-measures.ts";

/**
 * Cuts a table returned by `mergeMeasures` into tables of at most `rowsMax` rows and a minute, in order; the first one has what was
 * not stored. A minute is never cut, as it has one histogram.
 */
export function* cutMeasures(table: MeasureTable, rowsMax: number): Generator<MeasureTable> {
  const { series, second } = table.sums;
  let { unstored } = table;
  let from = 0;
  do {
    let until = Math.min(series.length, from + rowsMax);
    while (until < series.length && isSameMinute(table, until)) until += 1;
    yield mergeMeasures([selectRows({ ...table, unstored }, from, until)]);
    ({ unstored } = NO_MEASURES);
    from = until;
  } while (from < second.length);
}

function isSameMinute({ sums: { series, second } }: MeasureTable, row: number): boolean {
  return (
    series[row] === series[row - 1] &&
    minuteOf(second[row] as number) === minuteOf(second[row - 1] as number)
  );
}
