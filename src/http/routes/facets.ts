import { FACETS, type FacetsJson } from "../../api/facets.ts";
import { type Route, jsonResponse } from "../route.ts";
import type { SelectedPart } from "../../series/endpoint-selection.ts";
import { LOAD_TEST_IN_PATH, SELECTED_ROUTE, selectedBy, WHERE } from "../request/selection.ts";

export function createFacetsRoute(readFacets: (query: SelectedPart) => Promise<FacetsJson>): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Facets",
    operationId: "getFacets",
    summary: "Facets of a load test",
    description:
      "Returns the facets of the requests, such as their scenario or host, by name, with their values, most requests first, for " +
      "`where` and `by`. `(none)` stands for requests without the facet: values add up to all requests.",
    parameters: [LOAD_TEST_IN_PATH, WHERE],
    schema: FACETS,
    async handle(values) {
      return jsonResponse(await readFacets(selectedBy(values)), { isCacheable: true });
    },
  };
}
