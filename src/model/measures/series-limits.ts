import { isCount, membersIn } from "../json-text.ts";
import { compareLabels } from "../label.ts";
import {
  MEASURE_SERIES_MAX,
  MEASURE_TAGS_MAX,
  MEASURE_TEXT_BYTES_MAX,
  type MeasureSeries,
  UNSTORED_REASONS,
  type UnstoredReason,
  type UnstoredValues,
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
  if (3 * text.length <= MEASURE_TEXT_BYTES_MAX) return false;
  // Each unit is at least a byte: very long texts need not be encoded.
  return text.length > MEASURE_TEXT_BYTES_MAX || UTF8.encode(text).length > MEASURE_TEXT_BYTES_MAX;
}

/** Whether it has a count for each reason. */
export function isUnstored(value: unknown): value is UnstoredValues {
  const counts = membersIn(value);
  return UNSTORED_REASONS.every((reason) => isCount(counts[reason]));
}

const WHY: Readonly<Record<UnstoredReason, string>> = {
  series: `of series beyond the ${MEASURE_SERIES_MAX.toLocaleString("en-US")} of a load test`,
  name: `without a name, or with one of more than ${MEASURE_TEXT_BYTES_MAX} bytes`,
  tags: `with more than ${MEASURE_TAGS_MAX} tags, or with tags of more than ${MEASURE_TEXT_BYTES_MAX} bytes`,
  value: "that are not finite numbers up to 2^53 - 1, or negative times",
  time: "without a valid time",
};

/** Says how many values of measures were not stored, and why; `undefined` if all were. */
export function unstoredText(unstored: UnstoredValues): string | undefined {
  const reasons = UNSTORED_REASONS.filter((reason) => unstored[reason] > 0);
  if (reasons.length === 0) return undefined;
  const each = reasons.map(
    (reason) => `${unstored[reason].toLocaleString("en-US")} ${WHY[reason]}`,
  );
  return `values of measures that were not stored: ${each.join("; ")}`;
}
