import { SAMPLES, type SamplesAnswer } from "../../api/samples.ts";
import type { SampleReading, SamplesQuery } from "../../query/read-samples.ts";
import { integerParameter, type Parameter, textParameter } from "../request/parameters.ts";
import { OUTCOME, outcomeOf, SELECTED_ROUTE, selectedBy, SELECTION } from "../request/selection.ts";
import { type Route, jsonResponse } from "../route.ts";

const ANY = { schema: { type: "string", minLength: 0 } } as const;
const CODE = { ...textParameter("code", "Only failures with this code.", "503"), ...ANY };
const MESSAGE = { ...textParameter("message", "Only failures with this message."), ...ANY };
const NEAR: Parameter = {
  name: "near",
  description:
    "First UNIX second, hyphen, second after the last one: requests that began in between come first, the slowest " +
    "before others, then the nearest.",
  schema: { type: "string", minLength: 1, pattern: String.raw`^\d{1,10}-\d{1,10}$` },
  form: "two UNIX seconds with a hyphen",
  example: "1790000100-1790000105",
};
const LIMIT = integerParameter("limit", "Maximum number of requests. Default: no limit.", {
  minimum: 1,
  maximum: 1000,
});

export function createSamplesRoute(
  readSamples: (query: Omit<SamplesQuery, keyof SampleReading>) => Promise<SamplesAnswer>,
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
      const [from, until] = (values.get("near") ?? "").split("-").map(Number);
      const near = from === undefined || until === undefined ? undefined : { from, until };
      const limit = values.has("limit") ? Number(values.get("limit")) : undefined;
      const asked = { ...selectedBy(values), ...outcomeOf(values), kind, near, limit };
      return jsonResponse(await readSamples(asked), { isCacheable: true });
    },
  };
}
