/** Measures as they are chosen: all series of a name, unit and kind are one chart. */

import type { Facet } from "../../api/facets.ts";
import type { MeasureFacts } from "../../api/measures.ts";
import { pairsOf } from "../../facets/facet-filter.ts";
import type { Range } from "../scope/range.ts";
import { shownUnit } from "./measure-values.ts";
import { hasOnlyMinutes } from "./phases.ts";

export interface MeasureGroup extends Pick<MeasureFacts, "name" | "unit" | "kind"> {
  /** What is drawn, unless its name and kind say so. */
  readonly hint?: string;
  /** The most frequent first. */
  readonly series: readonly MeasureLine[];
}

/** A series, or several that the service merges. */
export interface MeasureLine extends MeasureFacts {
  /** Merges series by the only tag of this one. */
  readonly selector?: string;
  /** Drawn is the rest up to this; of counters, after their sum was divided by the number of merged series. */
  readonly restOf?: number;
  /** Number of merged counters. */
  readonly parts?: number;
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
      return [
        {
          name,
          unit: shownUnit(name, unit),
          kind,
          series: series.toSorted((a, b) => b.count - a.count),
        },
      ];
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
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

/**
 * Length of a group's points, at least `resolution` and whole steps from one value to the next: shorter points would have gaps, and
 * of counters some the growth of two steps.
 */
export function pointSeconds({ series }: MeasureGroup, resolution: number): number {
  const step = Math.max(1, ...series.map(stepOf));
  return Math.ceil(resolution / step) * step;
}

/** Seconds from one value to the next. */
export function stepOf(series: MeasureFacts): number {
  const { kind, count, from, until } = series;
  const isStepped = (kind === "gauge" || kind === "counter") && count > 1 && from > 0;
  return isStepped && !hasOnlyMinutes(series) ? Math.round((until - from) / (count - 1)) : 1;
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

/** Names of charts as written in the URL's parameter. */
export function namesText(names: readonly string[]): string {
  return names.map((name) => name.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

/** The tags that distinguish a series within its group, of one tag its value; its name if it is the only one. */
export function seriesText(series: MeasureLine, group: MeasureGroup): string {
  if (series.selector !== undefined) return Object.values(series.tags).join();
  const isApart = ([tag, value]: readonly [string, string]): boolean =>
    group.series.some(({ tags }) => tags[tag] !== value);
  const tags = Object.entries(series.tags).filter(isApart);
  const texts = tags.map(([tag, value]) => (tags.length === 1 ? value : `${tag}=${value}`));
  const text = [...(series.endpoint === undefined ? [] : [series.endpoint.label]), ...texts].join(
    " ",
  );
  return text === "" ? series.name : text;
}
