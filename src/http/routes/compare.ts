import {
  COMPARED_RUNS,
  type ComparedRuns,
  COMPARISON,
  type LoadTestComparison,
} from "../../api/compare.ts";
import type { SeveralQuery } from "../../analysis/compare/compare-several.ts";
import { LAST_DEFAULT, RUNS_MAX, type SelectedRuns } from "../../analysis/compare/select-runs.ts";
import { itemOf } from "../../api/schema.ts";
import { withOverall } from "../../render/csv-table.ts";
import type { CompareQuery } from "../../analysis/compare/compare-load-tests.ts";
import type { EarlierRuns } from "../../analysis/compare/earlier-runs.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import {
  integerParameter,
  textParameter,
  type Parameter,
  type ParameterValues,
} from "../request/parameters.ts";
import { type Route, jsonResponse } from "../route.ts";
import { SELECTOR, selectorIn } from "./measures.ts";
import {
  checkSelection,
  ENDPOINTS,
  FROM,
  RAMPS,
  rangeOf,
  rampsOf,
  SELECTED_ROUTE,
  selectedBy,
  SELECTION,
  selectionOf,
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

const ENDPOINTS_DEFAULT = 100;

const RUNS: readonly Parameter[] = [
  {
    ...textParameter(
      "runs",
      `Ids of 2 to ${RUNS_MAX} load tests, separated by commas.`,
      "41,42,43",
    ),
    isList: true,
  },
  textParameter("name", "Instead of `runs`: exact name of the load tests.", "checkout, nightly"),
  integerParameter(
    "last",
    `How many of the latest runs of the name to compare; at most ${RUNS_MAX - 1} if the base is not among them. Default: ${LAST_DEFAULT}, with \`per\` ${RUNS_MAX}.`,
    { minimum: 1, maximum: RUNS_MAX },
  ),
  textParameter(
    "per",
    "Of the name: the latest load test of each value of this property, such as one per version.",
    "version",
  ),
  textParameter(
    "base",
    "Id of the load test that the others are compared with. Default: the first of `runs`; of a name, its baseline if it is " +
      "among them, else the oldest.",
  ),
  integerParameter("limit", "Maximum number of endpoints.", {
    minimum: 1,
    maximum: 1000,
    default: ENDPOINTS_DEFAULT,
  }),
];

/** Parameters, with their check, of the routes that compare several runs. */
export const SEVERAL_RUNS = {
  parameters: [...RUNS, ...ENDPOINTS, ...RAMPS],
  check(values: ParameterValues): readonly ParameterComplaint[] {
    const isOne = values.has("runs") !== values.has("name");
    const both = { parameter: "runs", detail: "expected either runs or a name of load tests" };
    return [...(isOne ? [] : [both]), ...checkSelection(values)];
  },
} as const;

interface CompareRunsOperations {
  readonly selectRuns: (query: SeveralQuery) => Promise<SelectedRuns>;
  /** Of each run compared with the first one. */
  readonly selectEarlier: (runs: SelectedRuns) => Promise<readonly EarlierRuns[]>;
  readonly compare: (
    runs: SelectedRuns,
    query: SeveralQuery,
    earlier: readonly EarlierRuns[],
  ) => Promise<ComparedRuns>;
}

export function createCompareRunsRoute(operations: CompareRunsOperations): Route {
  const { selectRuns, selectEarlier: selectEarlierOfEach, compare } = operations;
  return {
    ...SELECTED_ROUTE,
    path: "/Api/Compare",
    operationId: "compareRuns",
    summary: `Compare 2 to ${RUNS_MAX} load tests with one of them`,
    description:
      "Compares each load test with the base, as `GET /Api/LoadTests/{id}/Compare` does: a row for each endpoint, the worst first, " +
      "with a cell for each load test. Measures are compared, too.",
    ...SEVERAL_RUNS,
    async cacheInputs(values) {
      const runs = await selectRuns(severalOf(values));
      const earlier = await selectEarlierOfEach(runs);
      const read = [runs, ...earlier].flatMap(({ loadTests }) => loadTests.map(({ id }) => id));
      return { loadTestIds: [...new Set(read)], besides: severalText(runs, earlier) };
    },
    schema: COMPARED_RUNS,
    async handle(values) {
      const query = severalOf(values);
      const runs = await selectRuns(query);
      const earlier = await selectEarlierOfEach(runs);
      const answer = await compare(runs, query, earlier);
      return {
        ...jsonResponse(answer, { isCacheable: true }),
        besides: severalText(runs, earlier),
      };
    },
  };
}

export function severalOf(values: ParameterValues): SeveralQuery {
  const last = values.get("last");
  return {
    runs: values.get("runs")?.split(","),
    name: values.get("name"),
    last: last === undefined ? undefined : Number(last),
    per: values.get("per"),
    base: values.get("base"),
    limit: Number(values.get("limit") ?? ENDPOINTS_DEFAULT),
    selection: selectionOf(values),
    ...rampsOf(values),
  };
}

function severalText(runs: SelectedRuns, earlier: readonly EarlierRuns[]): string {
  const ofRuns = runs.loadTests.map(({ id, name, properties, ...others }) => {
    return [id, name, properties, others.description ?? null, others.events ?? null];
  });
  return JSON.stringify([runs.leftOut, ofRuns, earlier.map(earlierText)]);
}
