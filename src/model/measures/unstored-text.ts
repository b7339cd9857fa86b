import {
  MEASURE_SERIES_MAX,
  MEASURE_TAGS_MAX,
  MEASURE_TEXT_BYTES_MAX,
  UNSTORED_REASONS,
  type UnstoredReason,
  type UnstoredValues,
} from "./measure-table.ts";

const WHY: Readonly<Record<UnstoredReason, string>> = {
  series: `belong to series beyond the ${MEASURE_SERIES_MAX.toLocaleString("en-US")} of a load test`,
  name: `have no name, or one of more than ${MEASURE_TEXT_BYTES_MAX} bytes`,
  tags: `have more than ${MEASURE_TAGS_MAX} tags, or tags of more than ${MEASURE_TEXT_BYTES_MAX} bytes`,
  value: "are not finite numbers up to 2^53 - 1",
  time: "have no valid time",
};

/** Says how many values of measures were not stored, and why; `undefined` if all were. */
export function unstoredText(unstored: UnstoredValues): string | undefined {
  const reasons = UNSTORED_REASONS.filter((reason) => unstored[reason] > 0);
  if (reasons.length === 0) return undefined;
  const values = reasons.reduce((sum, reason) => sum + unstored[reason], 0);
  const each = reasons.map(
    (reason) => `${unstored[reason].toLocaleString("en-US")} ${WHY[reason]}`,
  );
  return `${values.toLocaleString("en-US")} values of measures were not stored: ${each.join("; ")}`;
}
