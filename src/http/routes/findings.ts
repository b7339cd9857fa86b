import type { SelectedPart } from "../../series/endpoint-selection.ts";
import { CAPACITY, type CapacityJson, FINDINGS } from "../../api/findings.ts";
import type { Findings } from "../../analysis/findings/read-findings.ts";
import { type Route, jsonResponse } from "../route.ts";
import { SELECTED_ROUTE, selectedBy } from "../request/selection.ts";

export function createFindingsRoute(
  readFindings: (query: SelectedPart) => Promise<Findings>,
): Route {
  return {
    ...SELECTED_ROUTE,
    readsSeconds: true,
    path: "/Api/LoadTests/{id}/Findings",
    operationId: "getFindings",
    summary: "Anomalies of a load test",
    description:
      "Returns when requests took longer or failed more often than before and after, over all selected endpoints together and " +
      "at single ones; endpoints that fail throughout; drops in throughput while users remain active; slow rises of " +
      "response times; requests that the load generator did not send while it waited; and whether it was at its limit. What " +
      "overlaps or touches in time and shares endpoints is one incident, with what is known of its cause; they are ordered by start. Limitations of the data follow as items of the kind `quality`. `[]`: no anomalies and no limitations.",
    schema: FINDINGS,
    async handle(values) {
      const { incidents, quality } = await readFindings(selectedBy(values));
      const remarks = quality.map((remark) => ({ kind: "quality", ...remark }));
      return jsonResponse([...incidents, ...remarks], { isCacheable: true });
    },
  };
}

export function createCapacityRoute(
  readCapacity: (query: SelectedPart) => Promise<CapacityJson>,
): Route {
  return {
    ...SELECTED_ROUTE,
    readsSeconds: true,
    path: "/Api/LoadTests/{id}/Capacity",
    operationId: "getCapacity",
    summary: "Capacity of the system under test",
    description:
      "Returns throughput and the 95th percentile by load, over all selected endpoints together, the " +
      "peak of the throughput, and the load at which the 95th percentile has doubled.",
    schema: CAPACITY,
    async handle(values) {
      return jsonResponse(await readCapacity(selectedBy(values)), { isCacheable: true });
    },
  };
}
