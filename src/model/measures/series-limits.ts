import { compareLabels } from "../label.ts";
import {
  MEASURE_TAGS_MAX,
  MEASURE_TEXT_BYTES_MAX,
  type MeasureSeries,
  type UnstoredReason,
} from "./measure-table.ts";

const UTF8 = new TextEncoder();

/** Returns why the values of a series cannot be stored; `undefined` if they can. */
export function seriesFault({ name, unit, tags }: MeasureSeries): UnstoredReason | undefined {
  if (name === "" || isTooLong(name) || isTooLong(unit)) return "name";
  const names = new Set(tags.map(([tag]) => tag));
  const isBad =
    tags.length > MEASURE_TAGS_MAX || names.size < tags.length || tags.flat().some(isTooLong);
  return isBad ? "tags" : undefined;
}

/** With well-formed Unicode, and tags in order. */
export function canonicalSeries(series: MeasureSeries): MeasureSeries {
  return {
    label: series.label,
    name: series.name.toWellFormed(),
    unit: series.unit.toWellFormed(),
    kind: series.kind,
    tags: series.tags
      .map(([name, value]) => [name.toWellFormed(), value.toWellFormed()] as const)
      .toSorted(([left], [right]) => compareLabels(left, right)),
  };
}

function isTooLong(text: string): boolean {
  return (
    3 * text.length > MEASURE_TEXT_BYTES_MAX && UTF8.encode(text).length > MEASURE_TEXT_BYTES_MAX
  );
}
