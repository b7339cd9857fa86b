import type { ReadTrend, TrendQuery } from "../../analysis/trend/read-trend.ts";
import {
  LOAD_TESTS_DEFAULT,
  LOAD_TESTS_MAX,
  type SelectedSeries,
  type SeriesQuery,
  seriesText,
} from "../../analysis/trend/trend-series.ts";
import { withOverall } from "../../render/csv-table.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import { jsonDocument } from "../response/json-document.ts";
import {
  flagParameter,
  integerParameter,
  textParameter,
  type Parameter,
  type ParameterValues,
} from "../request/parameters.ts";
import { jsonStream, type Route } from "../route.ts";
import {
  checkSelection,
  ENDPOINTS,
  RAMPS,
  rampsOf,
  SELECTED_ROUTE,
  selectionOf,
} from "../request/selection.ts";
import { SELECTOR, selectorIn } from "./measures.ts";
import { TREND, TREND_CSV } from "../../api/trend.ts";

const MEASURE = "measure";

const PARAMETERS: readonly Parameter[] = [
  textParameter("name", "Exact name of the load tests.", "checkout, nightly"),
  textParameter("tag", "Exact tag of the load tests; can be combined with `name`.", "main"),
  integerParameter("last", "Maximum number of load tests; the latest are used.", {
    minimum: 1,
    maximum: LOAD_TESTS_MAX,
    default: LOAD_TESTS_DEFAULT,
  }),
  textParameter(
    "since",
    "Id of the load test at which the series starts. Default: the baseline of the name, " +
      "if any.",
  ),
  flagParameter("ignoreBaseline", "`true`: do not start the series at the baseline."),
  textParameter("upTo", "Id of the load test at which the series ends, whatever its name."),
  ...ENDPOINTS,
  ...RAMPS,
  {
    ...SELECTOR,
    name: MEASURE,
    description: "Measures of the whole runs to return, too, as `selector` of `Measures`.",
  },
];

/** Increment when the same data are rendered differently, so that caches drop the old form. */
const WRITTEN_FORM = "3";

interface TrendOperations {
  readonly readTrend: (query: TrendQuery) => Promise<ReadTrend>;
  readonly selectSeries: (query: SeriesQuery) => Promise<SelectedSeries>;
}

export function createTrendRoute({ readTrend, selectSeries }: TrendOperations): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/Trend",
    operationId: "getTrend",
    summary: "A series of load tests, and its changes",
    description:
      "Returns the figures of all load tests with a name or tag, by endpoint and overall, and the " +
      "load tests at which their level changed by more than noise explains.",
    parameters: PARAMETERS,
    check: checkTrend,
    async cacheInputs(values) {
      const series = await selectSeries(queryOf(values));
      return { loadTestIds: series.loadTests.map(({ id }) => id), besides: seriesText(series) };
    },
    schema: TREND,
    csv: TREND_CSV,
    async handle(values) {
      const query = queryOf(values);
      const { series, revisions, endpoints, ...head } = await readTrend(query);
      // Revisions are those of the figures of requests.
      const dependsOn = [revisions, query, head.measures ?? null].map((each) =>
        JSON.stringify(each),
      );
      const answer = jsonStream([WRITTEN_FORM, series, ...dependsOn], () =>
        jsonDocument(head, ["endpoints", [endpoints]]),
      );
      const runs = {
        loadTestId: head.loadTests.map(({ id }) => id),
        startedAt: head.loadTests.map(({ startedAt }) => startedAt),
      };
      const items = () =>
        withOverall(
          { ...runs, ...head.overall },
          endpoints.map((endpoint) => ({ ...runs, ...endpoint })),
        );
      return { ...answer, items, besides: series };
    },
  };
}

function queryOf(values: ParameterValues): TrendQuery {
  return {
    name: values.get("name"),
    tag: values.get("tag"),
    last: Number(values.get("last") ?? LOAD_TESTS_DEFAULT),
    since: values.get("since"),
    ignoreBaseline: values.get("ignoreBaseline") === "true",
    upTo: values.get("upTo"),
    selection: selectionOf(values),
    ...rampsOf(values),
    selector: selectorIn(values, MEASURE),
  };
}

function checkTrend(values: ParameterValues): readonly ParameterComplaint[] {
  const isNamed = values.has("name") || values.has("tag");
  const missing = { parameter: "name", detail: "expected a name or a tag of load tests" };
  return [...(isNamed ? [] : [missing]), ...checkSelection(values)];
}
