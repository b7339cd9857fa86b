import { COMPARISON, type LoadTestComparison } from "../../api/compare.ts";
import { itemOf } from "../../api/schema.ts";
import { withOverall } from "../../render/csv-table.ts";
import type { CompareQuery } from "../../analysis/compare/compare-load-tests.ts";
import type { EarlierRuns } from "../../analysis/compare/earlier-runs.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import { textParameter, type Parameter, type ParameterValues } from "../request/parameters.ts";
import { type Route, jsonResponse } from "../route.ts";
import { SELECTOR, selectorIn } from "./measures.ts";
import {
  checkSelection,
  FROM,
  RAMPS,
  rangeOf,
  rampsOf,
  SELECTED_ROUTE,
  selectedBy,
  SELECTION,
  UNTIL,
} from "../request/selection.ts";

const OF_BASE: readonly Parameter[] = [
  { ...textParameter("base", "The base load test.", "1848363530240"), required: true },
  { ...FROM, name: "baseFrom", description: "`from` for the base load test." },
  { ...UNTIL, name: "baseUntil", description: "`until` for the base load test." },
];

const MEASURE: Parameter = {
  ...SELECTOR,
  name: "measure",
  description:
    "Compares these measures, as `selector` of `Measures`. Default: each of the run as a whole.",
};

interface CompareOperations {
  readonly selectEarlier: (query: CompareQuery) => Promise<EarlierRuns>;
  readonly compare: (query: CompareQuery, earlier: EarlierRuns) => Promise<LoadTestComparison>;
}

export function createCompareRoute({ compare, selectEarlier }: CompareOperations): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Compare",
    operationId: "compareLoadTests",
    summary: "Compare with another load test, by endpoint and overall",
    description:
      "Compares counts, failures and response times with those of another load test and decides " +
      "for each endpoint whether it became slower or faster by more than noise explains: within the " +
      "two runs, and between earlier runs with the name of the base. Worst endpoint first. Measures are compared, too.",
    parameters: [...SELECTION, ...OF_BASE, ...RAMPS, MEASURE],
    check: (values) => [...checkSelection(values), ...checkBaseRange(values)],
    async cacheInputs(values) {
      const query = queryOf(values);
      const earlier = await selectEarlier(query);
      const ids = earlier.loadTests.map(({ id }) => id);
      const loadTestIds = [...new Set([query.base.loadTestId, query.later.loadTestId, ...ids])];
      return { loadTestIds, besides: earlierText(earlier) };
    },
    schema: COMPARISON,
    csv: { item: itemOf(COMPARISON, "endpoints") },
    async handle(values) {
      const query = queryOf(values);
      const earlier = await selectEarlier(query);
      const answer = await compare(query, earlier);
      return {
        ...jsonResponse(answer, { isCacheable: true }),
        items: () => withOverall(answer.overall, answer.endpoints),
        besides: earlierText(earlier),
      };
    },
  };
}

function queryOf(values: ParameterValues): CompareQuery {
  const later = { ...selectedBy(values), ...rampsOf(values) };
  const range = rangeOf(ofBase(values));
  const base = { ...later, loadTestId: values.get("base") ?? "", range };
  return { base, later, selector: selectorIn(values, MEASURE.name) };
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
