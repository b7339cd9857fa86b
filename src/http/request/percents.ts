import type { ParameterComplaint } from "../response/http-error.ts";
import type { Parameter, ParameterValues } from "./parameters.ts";

const PERCENTS_MAX = 10;

export const PERCENTS = {
  name: "percent",
  description: `Percentiles, at most ${PERCENTS_MAX}, separated by commas.`,
  required: false,
  schema: {
    type: "string",
    minLength: 1,
    pattern: String.raw`^\d{1,3}(\.\d{1,3})?(,\d{1,3}(\.\d{1,3})?)*$`,
  },
  form: "numbers from 0 to 100, separated by commas",
  example: "50,99.9",
} as const satisfies Parameter;

/** Checks the parameter beyond its pattern. */
export function checkPercents(values: ParameterValues): readonly ParameterComplaint[] {
  const percents = values.get(PERCENTS.name)?.split(",") ?? [];
  const tooLarge = percents.find((percent) => Number(percent) > 100);
  if (tooLarge !== undefined) {
    return [{ parameter: "percent", detail: `percent: expected at most 100, got ${tooLarge}` }];
  }
  if (percents.length <= PERCENTS_MAX) return [];
  const detail = `percent: expected at most ${PERCENTS_MAX} percentiles, got ${percents.length}`;
  return [{ parameter: "percent", detail }];
}
