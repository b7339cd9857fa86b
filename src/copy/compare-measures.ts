import type { MeasureTable } from "../model/measures/measure-table.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import type { SourceReading } from "../store/snapshot.ts";
import { compareColumns, compareMembers } from "./compare-columns.ts";

/** Yields the differences of the measures of a source as sentences. */
export async function* compareMeasures(
  original: SourceReading,
  copy: SourceReading,
): AsyncGenerator<string> {
  const [index, copied] = [await original.measureIndex(), await copy.measureIndex()];
  const name = `measures of source "${original.sourceId}"`;
  yield* compareMembers(`${name}: unstored`, index.unstored, { ...copied.unstored });
  const numbers = new Map(
    (await copy.endpoints()).map(({ endpoint }) => [endpoint.label, endpoint.number]),
  );
  const labels = new Map(
    (await original.endpoints()).map(({ endpoint }) => [endpoint.number, endpoint.label]),
  );
  const wanted = index.series.map((series) =>
    series.label === undefined
      ? series
      : { ...series, label: numbers.get(labels.get(series.label) ?? "") },
  );
  if (copied.series.length !== wanted.length) {
    yield `${name}: ${wanted.length} series, in the copy ${copied.series.length}`;
  }
  const copies = copy.measures(wanted, ALL_SECONDS)[Symbol.asyncIterator]();
  for await (const table of original.measures(index.series, ALL_SECONDS)) {
    const other = (await copies.next()).value as MeasureTable | undefined;
    const text = `"${table.series[0]?.name}" of ${name}`;
    for (const part of ["sums", "gauges", "histograms"] as const) {
      yield* compareColumns(`${part} of ${text}`, table[part], other?.[part] ?? {});
    }
  }
}
