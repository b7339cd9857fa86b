import {
  MEASURE_SERIES_MAX,
  MEASURE_TAGS_MAX,
  MEASURE_TEXT_BYTES_MAX,
  UNSTORED_REASONS,
  type UnstoredReason,
  type UnstoredValues,
} from "./measure-table.ts";

const WHY: Readonly<Record<UnstoredReason, string>> = {
  series: `of series beyond the ${MEASURE_SERIES_MAX.toLocaleString("en-US")} of a load test`,
  name: `without a name, or with one of more than ${MEASURE_TEXT_BYTES_MAX} bytes`,
  tags: `with more than ${MEASURE_TAGS_MAX} tags, or with tags of more than ${MEASURE_TEXT_BYTES_MAX} bytes`,
  value: "that are not finite numbers up to 2^53 - 1",
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
