/** Measures for tests of stores, and functions to read them back. */

import type { MeasureSeries, MeasureTable } from "../../src/model/measures/measure-table.ts";
import { mergeMeasures } from "../../src/model/measures/merge-measures.ts";
import { ALL_SECONDS, type SecondRange } from "../../src/model/columns.ts";
import type { Readings, Snapshot } from "../../src/store/snapshot.ts";
import { collect, endpointsOf } from "./batches.ts";
import { measureTable, type PlainValue } from "./plain-measures.ts";

export function seriesWith(changed: Partial<MeasureSeries> = {}): MeasureSeries {
  const own = {
    label: undefined,
    name: "wait",
    unit: "ms",
    kind: "distribution",
    tags: [],
  } as const;
  return { ...own, ...changed };
}

export function measured(
  second: number,
  whole: number,
  series: MeasureSeries = seriesWith(),
): PlainValue {
  return { series, unixMillis: second * 1000, nanos: BigInt(whole) * 10n ** 9n };
}

/** One series of each kind, of label 0 and of the load test, with values in so many seconds. */
export function measuredSeconds(from: number, seconds: number): MeasureTable {
  const kinds = ["counter", "gauge", "rate", "distribution"] as const;
  const all = kinds.flatMap((kind) =>
    [undefined, 0].map((label) => seriesWith({ label, kind, tags: [["host", "é"]] })),
  );
  return measureTable(
    all.flatMap((series) =>
      Array.from({ length: seconds }, (_, second) =>
        measured(from + second, series.kind === "rate" ? second % 2 : second, series),
      ),
    ),
  );
}

/** All measures of a part of a snapshot, with numbers of endpoints as labels. */
export async function measuresIn(
  reading: Pick<Readings, "measureIndex" | "measures">,
  range: SecondRange = ALL_SECONDS,
): Promise<MeasureTable> {
  const { series, unstored } = await reading.measureIndex();
  const tables = await collect(reading.measures(series, range));
  return mergeMeasures([...tables, { ...measureTable([]), unstored }]);
}

/** The same with indexes of `labels`. */
export async function labelledMeasures(
  snapshot: Snapshot,
  labels: readonly string[],
  range: SecondRange = ALL_SECONDS,
): Promise<MeasureTable> {
  const indexes = new Map(
    (await endpointsOf(snapshot)).map(({ number, label }) => [number, labels.indexOf(label)]),
  );
  const found = await measuresIn(snapshot, range);
  const series = found.series.map((each) =>
    each.label === undefined ? each : { ...each, label: indexes.get(each.label) },
  );
  return mergeMeasures([{ ...found, series }]);
}
