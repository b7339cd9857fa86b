import type { LiveTarget } from "../../../live/live-target.ts";
import { ENVIRONMENT_FORM, ENVIRONMENT_PATTERN } from "../../../model/measures/environment.ts";
import type { Parameter, ParameterValues } from "../../request/parameters.ts";
import { HttpError } from "../../response/http-error.ts";

const ENVIRONMENT = {
  required: false,
  schema: { type: "string", minLength: 1, pattern: ENVIRONMENT_PATTERN },
  form: ENVIRONMENT_FORM,
  example: "staging",
} as const;

/** The environment to write to, instead of a load test: a header, or a parameter for senders that have none. */
export const ENVIRONMENT_PARAMETERS: readonly Parameter[] = [
  {
    ...ENVIRONMENT,
    name: "x-environment",
    in: "header",
    description: "Environment to add measures to, instead of a load test.",
  },
  { ...ENVIRONMENT, name: "env", description: "The same as `X-Environment`." },
];

/** Returns the load test that the parameter names, or the environment. Throws `bad-parameter`. */
export function targetOf(values: ParameterValues, parameter: string): LiveTarget {
  const environment = values.get("x-environment") ?? values.get("env");
  if (environment !== undefined) return { environment };
  const loadTestId = values.get(parameter);
  if (loadTestId !== undefined) return { loadTestId };
  const detail = `${parameter} is required, unless X-Environment names an environment`;
  throw new HttpError("bad-parameter", detail, { complaints: [{ parameter, detail }] });
}
