import { isDeepStrictEqual } from "node:util";
import type { MeasureTable } from "../model/measures/measure-table.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import type { SourceReading } from "../store/snapshot.ts";

/** Yields the members of an original that its copy does not have so. */
export function* compareMembers(
  name: string,
  original: Readonly<object>,
  copy: Readonly<Record<string, unknown>>,
): Generator<string> {
  for (const [member, value] of Object.entries(original)) {
    if (isDeepStrictEqual(value, copy[member])) continue;
    yield `${name}: ${member} is ${textOf(value)}, in the copy ${textOf(copy[member])}`;
  }
}

/** Yields where columns of the same name first differ. */
export function* compareColumns(name: string, original: object, copy: object): Generator<string> {
  const others = new Map<string, unknown>(Object.entries(copy));
  for (const [column, values] of Object.entries(original) as [string, unknown][]) {
    const other = others.get(column);
    others.delete(column);
    if (isDeepStrictEqual(values, other)) continue;
    yield `${name}: ${column} ${differenceAt(values, other)}`;
  }
  for (const column of others.keys()) yield `${name}: ${column} is in the copy alone`;
}

function differenceAt(values: unknown, other: unknown): string {
  if (!isList(values) || !isList(other))
    return `is ${textOf(values)}, in the copy ${textOf(other)}`;
  if (values.length !== other.length) {
    return `has ${values.length} entries, in the copy ${other.length}`;
  }
  const own = Array.from(values);
  const entry = own.findIndex((value, index) => !isDeepStrictEqual(value, other[index]));
  return `[${entry}] is ${textOf(own[entry])}, in the copy ${textOf(other[entry])}`;
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
}

function textOf(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

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
