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
    path: "/Api/LoadTests/{id}/Findings",
    operationId: "getFindings",
    summary: "Anomalies of a load test",
    description:
      "Returns the largest step of the 95th percentile, the largest burst of failures, requests that the load " +
      "generator did not send while it waited, and whether it was at its limit, if any, over all selected endpoints " +
      "together, and limitations of the data as items of the kind `quality`. `[]`: no anomalies and no limitations.",
    schema: FINDINGS,
    async handle(values) {
      const { step, burst, omission, generator, quality } = await readFindings(selectedBy(values));
      const remarks = quality.map((remark) => ({ kind: "quality", ...remark }));
      const items = [step ?? [], burst ?? [], omission ?? [], generator ?? [], remarks].flat();
      return jsonResponse(items, { isCacheable: true });
    },
  };
}

export function createCapacityRoute(
  readCapacity: (query: SelectedPart) => Promise<CapacityJson>,
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
      return jsonResponse(await readCapacity(selectedBy(values)), { isCacheable: true });
    },
  };
}
