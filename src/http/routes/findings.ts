import type { SelectedPart } from "../../series/endpoint-selection.ts";
import { CAPACITY, FINDINGS } from "../../api/findings.ts";
import type { BurstFinding } from "../../analysis/findings/read-burst.ts";
import type { Findings } from "../../analysis/findings/read-findings.ts";
import type { StepFinding } from "../../analysis/findings/read-step.ts";
import { type Route, jsonResponse } from "../route.ts";
import { SELECTED_ROUTE, selectedBy } from "../request/selection.ts";
import type { Capacity } from "../../analysis/capacity/read-capacity.ts";

export function createFindingsRoute(
  readFindings: (query: SelectedPart) => Promise<Findings>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Findings",
    operationId: "getFindings",
    summary: "Anomalies of a load test",
    description:
      "Returns the largest step of the 95th percentile and the largest burst of failures, if any, " +
      "over all selected endpoints together, and limitations of the data as items of the kind " +
      "`quality`. `[]`: no anomalies and no limitations.",
    schema: FINDINGS,
    async handle(values) {
      const { step, burst, quality } = await readFindings(selectedBy(values));
      const items = [
        ...(step === undefined ? [] : [stepItem(step)]),
        ...(burst === undefined ? [] : [burstItem(burst)]),
        ...quality.map((remark) => ({ kind: "quality", ...remark })),
      ];
      return jsonResponse(items, { isCacheable: true });
    },
  };
}

function stepItem({ at, beforeMicros, afterMicros, backAt, endpoints }: StepFinding): object {
  const [p95Before, p95After] = [beforeMicros / 1_000_000, afterMicros / 1_000_000];
  return { kind: "step", at, p95Before, p95After, backAt, endpoints };
}

function burstItem({ from, until, failures, allFailures, kind, endpoints }: BurstFinding): object {
  const failure =
    kind === undefined
      ? undefined
      : { code: kind.code, message: kind.message, count: kind.failures };
  const counts = { errCount: failures, allErrCount: allFailures };
  return { kind: "burst", from, until, ...counts, failure, endpoints };
}

export function createCapacityRoute(
  readCapacity: (query: SelectedPart) => Promise<Capacity>,
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
