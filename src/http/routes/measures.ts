import {
  MEASURE_SERIES,
  type MeasureSeriesJson,
  MEASURES,
  type MeasuresJson,
} from "../../api/measures.ts";
import type { MeasureSeriesQuery, MeasuresQuery } from "../../query/read-measures.ts";
import {
  textParameter,
  flagParameter,
  integerParameter,
  type Parameter,
  type ParameterValues,
} from "../request/parameters.ts";
import {
  FROM,
  HASH,
  idOf,
  LOAD_TEST_IN_PATH,
  rangeOf,
  RESOLUTION,
  resolutionOf,
  SELECTED_ROUTE,
  UNTIL,
} from "../request/selection.ts";
import { jsonResponse, type Route } from "../route.ts";

const MEASURE: Parameter = textParameter("measure", "Name of the measure.", "cpu.usage_user");

const ENDPOINT: Parameter = {
  ...HASH,
  name: "endpoint",
  description: `Only measures of this endpoint: ${HASH.description}`,
};

const TAG: Parameter = {
  name: "tag",
  description: "Only series with these tags: `name:value`, several separated by commas.",
  schema: { type: "string", minLength: 1, pattern: "^[^:,]+:[^,]*(,[^:,]+:[^,]*)*$" },
  form: "`name:value`, separated by commas",
};

const SELECTION: readonly Parameter[] = [LOAD_TEST_IN_PATH, MEASURE, ENDPOINT, TAG, FROM, UNTIL];

export function createMeasuresRoute(
  readMeasures: (query: MeasuresQuery) => Promise<MeasuresJson>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Measures",
    operationId: "getMeasures",
    summary: "Measures of a load test",
    description:
      "Returns everything else that was measured, such as metrics of servers, phases of requests and " +
      "metrics of the script, with its figures.",
    parameters: SELECTION,
    schema: MEASURES,
    async handle(values) {
      return jsonResponse(await readMeasures(queryOf(values)), { isCacheable: true });
    },
  };
}

export function createMeasureSeriesRoute(
  readSeries: (query: MeasureSeriesQuery) => Promise<MeasureSeriesJson>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/MeasureSeries",
    operationId: "getMeasureSeries",
    summary: "A measure over time",
    description:
      "Returns each series of a measure, by intervals. Distributions are kept by minutes: percentiles " +
      "have a resolution of their own, and are `null` in minutes that `from` or `until` cut.",
    parameters: [
      ...SELECTION.map((each) => (each === MEASURE ? { ...MEASURE, required: true } : each)),
      RESOLUTION,
      flagParameter("merged", "Whether to merge series of the same unit and kind."),
      integerParameter("limit", "Maximum number of series.", {
        minimum: 1,
        maximum: 2000,
        default: 100,
      }),
    ],
    schema: MEASURE_SERIES,
    async handle(values) {
      const series = await readSeries({
        ...queryOf(values),
        resolutionSeconds: resolutionOf(values),
        isMerged: values.get("merged") === "true",
        limit: Number(values.get("limit") ?? 100),
      });
      return jsonResponse(series, { isCacheable: true });
    },
  };
}

function queryOf(values: ParameterValues): MeasuresQuery {
  const tags = values.get("tag")?.split(",") ?? [];
  return {
    loadTestId: idOf(values),
    range: rangeOf(values),
    name: values.get("measure"),
    endpoint: values.get("endpoint")?.toLowerCase(),
    tags: tags.map((tag) => {
      const colon = tag.indexOf(":");
      return [tag.slice(0, colon), tag.slice(colon + 1)] as const;
    }),
  };
}
