import { unknownLoadTest } from "../../../model/load-test.ts";
import type { MeasureTable } from "../../../model/measures/measure-table.ts";
import { keyOfSeries } from "../../../model/measures/merge-measures.ts";
import { fittingMeasures } from "../../stored-measures.ts";
import type { SqliteFile } from "../file.ts";
import type { LoadTestRow } from "./load-test-rows.ts";

/** Returns what fits into the limit of series, whose places are taken from then on. */
export async function roomForMeasures(
  { reading, writing, queue }: SqliteFile,
  { number, id }: LoadTestRow,
  measures: MeasureTable,
): Promise<MeasureTable> {
  const keys = measures.series.map(keyOfSeries);
  if (reading.measureSeries.knowsAll(number, keys)) return measures;
  const fitting = await queue.write(() => {
    if (writing.loadTests.get(number) === undefined) throw unknownLoadTest(id);
    const taken = fittingMeasures(measures, writing.measureSeries.keys(number));
    writing.measureSeries.add(number, taken.added);
    return taken;
  });
  reading.measureSeries.learn(number, fitting.added);
  return fitting.measures;
}
