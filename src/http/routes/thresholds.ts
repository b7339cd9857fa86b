import type { ThresholdsByName } from "../../analysis/thresholds/stored-thresholds.ts";
import {
  THRESHOLDS,
  type ThresholdsJson,
  VERDICT,
  type VerdictJson,
} from "../../api/thresholds.ts";
import { checkLoadTestName } from "../../model/load-test/attributes.ts";
import { parseMeasureQuery, requireDistinct } from "../../import/pull-measures.ts";
import { prometheusBase } from "../../source/download/prometheus.ts";
import { pathParameter, type ParameterValues } from "../request/parameters.ts";
import { idOf, LOAD_TEST_IN_PATH } from "../request/selection.ts";
import { NO_CONTENT, jsonResponse, type Route, STORE_ERRORS } from "../route.ts";

const COMMON = {
  path: "/Api/Thresholds/{name}",
  parameters: [pathParameter("name", "Name of the load tests, percent-encoded.", "checkout")],
} as const;

export function createThresholdsRoutes(thresholds: ThresholdsByName): readonly Route[] {
  return [
    {
      ...COMMON,
      method: "GET",
      operationId: "getThresholds",
      summary: "Thresholds of a name",
      description:
        "Returns the thresholds that load tests of this name are checked against by default; an empty " +
        "list if none are kept.",
      scope: "read",
      schema: THRESHOLDS,
      errors: ["damaged-store"],
      async handle(values) {
        return jsonResponse(await thresholds.find(nameOf(values)));
      },
    },
    {
      ...COMMON,
      method: "PUT",
      operationId: "putThresholds",
      summary: "Keep thresholds for a name",
      description:
        "Replaces the thresholds of this name and its Prometheus queries. Empty lists remove them.",
      scope: "write",
      body: { kind: "members", schema: THRESHOLDS, isOptional: false },
      statuses: [204],
      errors: ["bad-parameter", ...STORE_ERRORS],
      async handle(values, { members }) {
        const name = checkLoadTestName(nameOf(values));
        const kept = members as ThresholdsJson;
        for (const [index, { prometheus }] of (kept.pull ?? []).entries()) {
          prometheusBase(prometheus, `pull.${index}.prometheus`);
        }
        requireDistinct((kept.pull ?? []).flatMap(({ queries }) => queries.map(parseMeasureQuery)));
        await thresholds.keep(name, kept);
        return NO_CONTENT;
      },
    },
    {
      ...COMMON,
      method: "DELETE",
      operationId: "deleteThresholds",
      summary: "Remove the thresholds of a name",
      description: "Removes the thresholds of this name, if any are kept.",
      scope: "write",
      statuses: [204],
      errors: STORE_ERRORS,
      async handle(values) {
        await thresholds.keep(nameOf(values), { thresholds: [] });
        return NO_CONTENT;
      },
    },
  ];
}

function nameOf(values: ParameterValues): string {
  return values.get("name") ?? "";
}

export function createVerdictRoute(
  readVerdict: (loadTestId: string) => Promise<VerdictJson>,
): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Verdict",
    operationId: "getVerdict",
    summary: "Whether a load test keeps its thresholds",
    description:
      "Checks the load test against the thresholds kept for its name, as `tachograph check` does: growth " +
      "against the baseline, changes within the load tests of the name.",
    scope: "read",
    parameters: [LOAD_TEST_IN_PATH],
    schema: VERDICT,
    errors: ["bad-parameter", "unknown-load-test", "too-many-endpoints", "damaged-store"],
    async handle(values) {
      return jsonResponse(await readVerdict(idOf(values)), { isCacheable: true });
    },
  };
}
