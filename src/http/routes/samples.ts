import { SAMPLES, type SamplesAnswer } from "../../api/samples.ts";
import type { SamplesQuery } from "../../query/read-samples.ts";
import { integerParameter, textParameter } from "../request/parameters.ts";
import {
  FROM,
  OUTCOME,
  outcomeOf,
  SELECTED_ROUTE,
  selectedBy,
  SELECTION,
} from "../request/selection.ts";
import { type Route, jsonResponse } from "../route.ts";

const ANY = { schema: { type: "string", minLength: 0 } } as const;
const CODE = { ...textParameter("code", "Only failures with this code.", "503"), ...ANY };
const MESSAGE = { ...textParameter("message", "Only failures with this message."), ...ANY };
const NEAR = {
  ...FROM,
  name: "near",
  description: "UNIX second: the requests nearest to it first, of one second the slowest first.",
};
const LIMIT = integerParameter("limit", "Maximum number of requests. Default: no limit.", {
  minimum: 1,
  maximum: 1000,
});

export function createSamplesRoute(
  readSamples: (query: Omit<SamplesQuery, "bytesMax">) => Promise<SamplesAnswer>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Samples",
    operationId: "getSamples",
    summary: "Single requests as they were sent and answered",
    description:
      "Returns requests that were kept whole, without secrets: of each endpoint and kind of failure the first three " +
      "and three spread over the run, and of each endpoint the five slowest.",
    parameters: [...SELECTION, OUTCOME, CODE, MESSAGE, NEAR, LIMIT],
    schema: SAMPLES,
    async handle(values) {
      const kind = { code: values.get("code"), message: values.get("message") };
      const [near, limit] = [NEAR, LIMIT].map(({ name }) =>
        values.has(name) ? Number(values.get(name)) : undefined,
      );
      const part = { ...selectedBy(values), ...outcomeOf(values), kind };
      return jsonResponse(await readSamples({ ...part, near, limit }), { isCacheable: true });
    },
  };
}
