import {
  ENDPOINT_TAG,
  type MeasureSelector,
  tagValue,
} from "../model/measures/measure-selector.ts";
import { labelsOfMeasures, type MeasureSeries } from "../model/measures/measure-table.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { overallNumbers } from "../series/selected-series.ts";
import type { Snapshot } from "../store/snapshot.ts";

export interface MeasureGroups {
  /** Those that a selector selects, in order. */
  readonly wanted: readonly MeasureSeries[];
  /** The series that one is merged into. */
  readonly groupOf: (series: MeasureSeries) => MeasureSeries;
}

/**
 * Selects and groups series. Unless a selector is about endpoints, a measure is that of the run as a whole; one that only endpoints have
 * is merged over them, without transactions and sub-results, which repeat requests. Throws `damaged-store`.
 */
export async function groupMeasures(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
  { name, matches, by }: MeasureSelector,
): Promise<MeasureGroups> {
  const own = series.filter((each) => name === undefined || each.name === name);
  const isOfEndpoints =
    by.includes(ENDPOINT_TAG) ||
    matches.some(({ tag, value, isNot }) => tag === ENDPOINT_TAG && (value !== "" || isNot));
  const labels = await readLabels(snapshot, isOfEndpoints ? own : []);
  const labelOf = ({ label }: MeasureSeries) => labels.get(label ?? -1);
  const known = isOfEndpoints
    ? own.filter((each) => tagValue(each, ENDPOINT_TAG, labelOf(each)) !== "")
    : await ofRun(snapshot, own);
  const wanted = known.filter((each) =>
    matches.every(
      ({ tag, value, isNot }) => (tagValue(each, tag, labelOf(each)) === value) !== isNot,
    ),
  );
  const isApart = (tag: string): boolean => by.includes(tag);
  return {
    wanted,
    groupOf: (each) => ({
      ...each,
      label: isApart(ENDPOINT_TAG) ? each.label : undefined,
      tags: each.tags.filter(([tag]) => isApart(tag)),
    }),
  };
}

async function ofRun(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
): Promise<readonly MeasureSeries[]> {
  const named = new Set(series.flatMap(({ label, name }) => (label === undefined ? name : [])));
  const index = await snapshot.index();
  const numbers = labelsOfMeasures({ series }).toSorted();
  const requests = new Set(overallNumbers(index, numbers, ALL_ENDPOINTS));
  return series.filter(
    ({ label, name }) => label === undefined || (!named.has(name) && requests.has(label)),
  );
}

/** By number of the endpoint. */
export async function readLabels(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
): Promise<ReadonlyMap<number, string>> {
  const numbers = Uint32Array.from(new Set(labelsOfMeasures({ series }))).toSorted();
  const endpoints = numbers.length === 0 ? [] : await (await snapshot.index()).named(numbers);
  return new Map(endpoints.map(({ number, label }) => [number, label]));
}
