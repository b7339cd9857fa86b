import { DISTRIBUTION, type DistributionJson } from "../../api/distribution.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Distribution, DistributionQuery } from "../../query/read-distribution.ts";
import { type Route, jsonResponse } from "../route.ts";
import {
  checkSelection,
  FILTER,
  FROM,
  HASH,
  HASHES,
  LOAD_TEST_IN_PATH,
  loadTestInPath,
  rangeOf,
  selectionOf,
  UNTIL,
} from "../request/selection.ts";

/** `GET /Api/LoadTests/{id}/Distribution`. */
export function createDistributionRoute(
  readDistribution: (query: DistributionQuery) => Promise<Distribution>,
): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Distribution",
    operationId: "getDistribution",
    summary: "Distribution of response times, over everything that is selected",
    description:
      "Returns how many requests of all endpoints that are selected took how long, and their figures " +
      "as one. Times are told apart to 1.6 %.",
    scope: "read",
    parameters: [LOAD_TEST_IN_PATH, FILTER, HASH, HASHES, FROM, UNTIL],
    check: checkSelection,
    madeOf: loadTestInPath,
    mediaType: "application/json",
    schema: DISTRIBUTION,
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const { figures, quality, micros, requests } = await readDistribution({
        loadTestId: values.get("id") ?? "",
        selection: selectionOf(values) ?? ALL_ENDPOINTS,
        range: rangeOf(values),
      });
      const times = micros.map((each) => each / 1_000_000);
      const answer: DistributionJson = { overall: figures, quality, times, counts: requests };
      return jsonResponse(answer, { isKept: true });
    },
  };
}
