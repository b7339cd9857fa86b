/** Measures as they are chosen: all series of a name, unit and kind are one chart. */

import type { MeasureFacts } from "../../api/measures.ts";
import type { Range } from "../scope/range.ts";

export interface MeasureGroup extends Pick<MeasureFacts, "name" | "unit" | "kind"> {
  /** The most frequent first. */
  readonly series: readonly MeasureFacts[];
}

/** By name; only series of the load test and, if endpoints are selected, of these. */
export function groupsOf(
  measures: readonly MeasureFacts[],
  hashes: readonly string[],
): readonly MeasureGroup[] {
  const shown = measures.filter(
    ({ endpoint }) =>
      endpoint === undefined || hashes.length === 0 || hashes.includes(endpoint.hash),
  );
  const groups = Map.groupBy(shown, ({ name, unit, kind }) => JSON.stringify([name, unit, kind]));
  return [...groups.values()]
    .flatMap((series) => {
      const [first] = series;
      if (first === undefined) return [];
      const { name, unit, kind } = first;
      return [{ name, unit, kind, series: series.toSorted((a, b) => b.count - a.count) }];
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether the names of the lines add something to the title. */
export function haveLongNames(groups: readonly MeasureGroup[]): boolean {
  return groups.some(({ series }) => series.length > 1);
}

/** From the first to the last value at a known time; `undefined` if there is none. */
export function rangeOf(groups: readonly MeasureGroup[]): Range | undefined {
  const timed = groups.flatMap(({ series }) => series).filter(({ from }) => from > 0);
  if (timed.length === 0) return undefined;
  const from = Math.min(...timed.map((each) => each.from));
  return { from, until: Math.max(...timed.map((each) => each.until)) + 1 };
}

/** Names in a URL parameter. */
export function namesIn(parameter: string | undefined): readonly string[] {
  if (parameter === undefined || parameter === "") return [];
  return parameter.split(",").flatMap((each) => {
    try {
      return [decodeURIComponent(each)];
    } catch {
      return [];
    }
  });
}

/** Names for a URL parameter. */
export function namesText(names: readonly string[]): string {
  return names.map((name) => encodeURIComponent(name)).join(",");
}

/** The part that distinguishes a series within its group; its name if it is the only one. */
export function seriesText(series: MeasureFacts, group: MeasureGroup): string {
  const tags = Object.entries(series.tags).map(([name, value]) => `${name}=${value}`);
  const text = [...(series.endpoint === undefined ? [] : [series.endpoint.label]), ...tags].join(
    " ",
  );
  return group.series.length === 1 || text === "" ? series.name : text;
}
