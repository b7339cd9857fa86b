import type { Capacity, CapacityQuery } from "../../analysis/capacity/read-capacity.ts";
import { CAPACITY } from "../../api/capacity.ts";
import { type Route, jsonResponse } from "../route.ts";
import { SELECTED_ROUTE, selectedBy } from "../request/selection.ts";

/** `GET /Api/LoadTests/{id}/Capacity`. */
export function createCapacityRoute(
  readCapacity: (query: CapacityQuery) => Promise<Capacity>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Capacity",
    operationId: "getCapacity",
    summary: "Capacity of the system under test",
    description:
      "Returns throughput and the 95th percentile by load, over all selected endpoints together, the " +
      "peak of the throughput, and the load at which the 95th percentile has doubled.",
    schema: CAPACITY,
    async handle(values) {
      const { revision: _, ...capacity } = await readCapacity(selectedBy(values));
      return jsonResponse(capacity, { isCacheable: true });
    },
  };
}
