import { COMPARISON, type LoadTestComparison } from "../../api/compare.ts";
import type { CompareQuery } from "../../analysis/compare/compare-load-tests.ts";
import type { EarlierRuns } from "../../analysis/compare/earlier-runs.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import type { Parameter, ParameterValues } from "../request/parameters.ts";
import { type Route, jsonResponse } from "../route.ts";
import {
  checkSelection,
  FILTER,
  FROM,
  HASH,
  HASHES,
  LOAD_TEST_IN_PATH,
  rangeOf,
  selectionOf,
  SKIP_END,
  SKIP_START,
  UNTIL,
} from "../request/selection.ts";

const BASE: Parameter = {
  name: "base",
  description: "The base load test.",
  required: true,
  schema: { type: "string", minLength: 1 },
  example: "1848363530240",
};

const BASE_FROM: Parameter = {
  ...FROM,
  name: "baseFrom",
  description: "`from` for the base load test.",
};

const BASE_UNTIL: Parameter = {
  ...UNTIL,
  name: "baseUntil",
  description: "`until` for the base load test.",
};

interface CompareOperations {
  readonly selectEarlier: (query: CompareQuery) => Promise<EarlierRuns>;
  readonly compare: (query: CompareQuery, earlier: EarlierRuns) => Promise<LoadTestComparison>;
}

export function createCompareRoute({ compare, selectEarlier }: CompareOperations): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Compare",
    operationId: "compareLoadTests",
    summary: "Compare with another load test, by endpoint and overall",
    description:
      "Compares counts, failures and response times with those of another load test and decides " +
      "for each endpoint whether it became slower or faster by more than noise explains: within the " +
      "two runs, and between earlier runs with the name of the base. Worst endpoint first.",
    scope: "read",
    parameters: [
      LOAD_TEST_IN_PATH,
      BASE,
      FILTER,
      HASH,
      HASHES,
      FROM,
      UNTIL,
      BASE_FROM,
      BASE_UNTIL,
      SKIP_START,
      SKIP_END,
    ],
    check: (values) => [...checkSelection(values), ...checkBaseRange(values)],
    async cacheInputs(values) {
      const query = queryOf(values);
      const earlier = await selectEarlier(query);
      const ids = earlier.loadTests.map(({ id }) => id);
      const loadTestIds = [...new Set([query.base.loadTestId, query.later.loadTestId, ...ids])];
      return { loadTestIds, besides: earlierText(earlier) };
    },
    schema: COMPARISON,
    errors: [
      "bad-parameter",
      "unknown-load-test",
      "too-many-endpoints",
      "sum-too-large",
      "damaged-store",
    ],
    async handle(values) {
      const query = queryOf(values);
      const earlier = await selectEarlier(query);
      const answer = await compare(query, earlier);
      return { ...jsonResponse(answer, { isCacheable: true }), besides: earlierText(earlier) };
    },
  };
}

function queryOf(values: ParameterValues): CompareQuery {
  const both = {
    selection: selectionOf(values),
    skipStartSeconds: Number(values.get("skipStart") ?? 0),
    skipEndSeconds: Number(values.get("skipEnd") ?? 0),
  };
  return {
    base: { ...both, loadTestId: values.get("base") ?? "", range: rangeOf(ofBase(values)) },
    later: { ...both, loadTestId: values.get("id") ?? "", range: rangeOf(values) },
  };
}

/** Changes with what the comparison depends on besides the data. */
function earlierText({ name, loadTests }: EarlierRuns): string {
  return JSON.stringify([name, loadTests.map(({ id }) => id)]);
}

function ofBase(values: ParameterValues): ParameterValues {
  const [from, until] = [values.get("baseFrom"), values.get("baseUntil")];
  return new Map([
    ...(from === undefined ? [] : [["from", from] as const]),
    ...(until === undefined ? [] : [["until", until] as const]),
  ]);
}

function checkBaseRange(values: ParameterValues): readonly ParameterComplaint[] {
  return checkSelection(ofBase(values)).map(({ detail }) => ({
    parameter: "baseUntil",
    detail: detail.replace("until:", "baseUntil:").replace("than from", "than baseFrom"),
  }));
}
