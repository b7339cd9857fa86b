/** Measures as they are chosen: all series of a name, unit and kind are one chart. */

import type { Facet } from "../../api/facets.ts";
import type { MeasureFacts } from "../../api/measures.ts";
import { pairsOf } from "../../facets/facet-filter.ts";
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

/** Of series without the tag. */
const NO_VALUE = "(none)";

/** Tags with several values, and how many values were measured of each. */
export function tagsOf(groups: readonly MeasureGroup[]): readonly Facet[] {
  const all = groups.flatMap(({ series }) => series);
  const names = new Set(all.flatMap(({ tags }) => Object.keys(tags)));
  return [...names].toSorted().flatMap((name) => {
    const apart = Map.groupBy(all, ({ tags }) => tags[name] ?? NO_VALUE);
    const values = Array.from(apart, ([value, own]) => ({
      value,
      requests: own.reduce((sum, { count }) => sum + count, 0),
    }));
    return values.length < 2 ? [] : { name, values };
  });
}

/** The series with tags that a text in the form of `where` names, and their groups. */
export function withTags(
  groups: readonly MeasureGroup[],
  where: string | undefined,
): readonly MeasureGroup[] {
  const wanted = Map.groupBy(pairsOf(where), ([name]) => name);
  return groups.flatMap((group) => {
    const series = group.series.filter(({ tags }) =>
      [...wanted].every(([name, pairs]) =>
        pairs.some(([, value]) => value === (tags[name] ?? NO_VALUE)),
      ),
    );
    return series.length === 0 ? [] : { ...group, series };
  });
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
