import path from "node:path";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import { type MeasuredValue, measuredValues } from "../../support/measured-values.ts";

/** Everything that a stopped server has measured besides requests, by series and second. */
export async function readMeasures(
  directory: string,
  loadTestId: string,
): Promise<readonly MeasuredValue[]> {
  const file = path.join(directory, "tachograph.sqlite");
  const store = await openSqliteStore(file, { now: () => Date.now() });
  try {
    const snapshot = await store.points.snapshot(loadTestId);
    if (snapshot === undefined) return [];
    const values: MeasuredValue[] = [];
    const { series, unstored } = await snapshot.measureIndex();
    for await (const table of snapshot.measures(series, ALL_SECONDS)) {
      values.push(...measuredValues(table));
    }
    snapshot.release();
    const lost = Object.values(unstored).reduce((sum, count) => sum + count, 0);
    if (lost > 0) throw new Error(`values were not stored: ${JSON.stringify(unstored)}`);
    return values;
  } finally {
    await store.close();
  }
}
