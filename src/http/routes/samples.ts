import { type SampleItem, SAMPLES } from "../../api/samples.ts";
import type { SamplesQuery } from "../../query/read-samples.ts";
import { textParameter } from "../request/parameters.ts";
import { OUTCOME, outcomeOf, SELECTED_ROUTE, selectedBy, SELECTION } from "../request/selection.ts";
import { type Route, jsonResponse } from "../route.ts";

const CODE = textParameter("code", "Only failures with this code.", "503");
const MESSAGE = textParameter("message", "Only failures with this message.");

export function createSamplesRoute(
  readSamples: (query: Omit<SamplesQuery, "bytesMax">) => Promise<readonly SampleItem[]>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Samples",
    operationId: "getSamples",
    summary: "Single requests as they were sent and answered",
    description:
      "Returns requests that were kept whole, without secrets: of each endpoint and kind of failure the first three " +
      "and three spread over the run, and of each endpoint the five slowest.",
    parameters: [...SELECTION, OUTCOME, CODE, MESSAGE],
    schema: SAMPLES,
    async handle(values) {
      const kind = { code: values.get("code"), message: values.get("message") };
      const samples = await readSamples({ ...selectedBy(values), ...outcomeOf(values), kind });
      return jsonResponse({ samples }, { isCacheable: true });
    },
  };
}
