import { DISTRIBUTION, type DistributionJson } from "../../api/response-times.ts";
import type { Distribution, DistributionQuery } from "../../query/read-distribution.ts";
import { type Route, jsonResponse } from "../route.ts";
import { OUTCOME, outcomeOf, SELECTED_ROUTE, selectedBy, SELECTION } from "../request/selection.ts";

/** `GET /Api/LoadTests/{id}/Distribution`. */
export function createDistributionRoute(
  readDistribution: (query: DistributionQuery) => Promise<Distribution>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Distribution",
    operationId: "getDistribution",
    summary: "Distribution of response times over all selected endpoints",
    description:
      "Returns the number of requests per response time over all selected endpoints, and their " +
      "overall statistics. Response times have a resolution of 1.6 %.",
    parameters: [...SELECTION, OUTCOME],
    schema: DISTRIBUTION,
    async handle(values) {
      const { figures, quality, micros, requests } = await readDistribution({
        ...selectedBy(values),
        ...outcomeOf(values),
      });
      const times = micros.map((each) => each / 1_000_000);
      const answer: DistributionJson = { overall: figures, quality, times, counts: requests };
      return jsonResponse(answer, { isCacheable: true });
    },
  };
}
