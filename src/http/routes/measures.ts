import {
  MEASURE_SERIES,
  type MeasureSeriesJson,
  MEASURES,
  type MeasuresJson,
} from "../../api/measures.ts";
import {
  type MeasureSelector,
  requireMeasureSelector,
} from "../../model/measures/measure-selector.ts";
import { itemOf } from "../../api/schema.ts";
import type { MeasureSeriesQuery, MeasuresQuery } from "../../query/read-measures.ts";
import {
  textParameter,
  integerParameter,
  type Parameter,
  type ParameterValues,
} from "../request/parameters.ts";
import {
  checkPercents,
  FROM,
  HASH,
  idOf,
  LOAD_TEST_IN_PATH,
  PERCENTS,
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

export const SELECTOR: Parameter = textParameter(
  "selector",
  "Merges series, instead of listing each: `NAME{tag=value, tag!=value} by TAG`, every part optional. Counters " +
    "and rates add up, distributions merge; of gauges the mean is over series and time. `by` keeps series with " +
    "different values of a tag apart. The tag `endpoint` is a label; without it, measures are those of the whole run.",
  "cpu.usage_user{host!=db} by host",
);

const SELECTION: readonly Parameter[] = [
  LOAD_TEST_IN_PATH,
  MEASURE,
  ENDPOINT,
  SELECTOR,
  FROM,
  UNTIL,
];

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
    parameters: [...SELECTION, PERCENTS],
    check: (values) => [...SELECTED_ROUTE.check(values), ...checkPercents(values)],
    schema: MEASURES,
    csv: { item: itemOf(MEASURES, "measures") },
    async handle(values) {
      const query = {
        ...queryOf(values),
        percents: values.get("percent")?.split(",").map(Number),
      };
      const answer = await readMeasures(query);
      const items = () => withPercentiles(answer.measures);
      return { ...jsonResponse(answer, { isCacheable: true }), items };
    },
  };
}

/** CSV takes its columns from the first item, which may be no distribution. */
function withPercentiles(measures: MeasuresJson["measures"]): readonly object[] {
  const known = measures.find(({ percentiles }) => percentiles !== undefined)?.percentiles;
  const unknown = Object.fromEntries(Object.keys(known ?? {}).map((name) => [name, null]));
  return measures.map((each) => ({ percentiles: unknown, ...each }));
}

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 2000;

export function createMeasureSeriesRoute(
  readSeries: (query: MeasureSeriesQuery) => Promise<MeasureSeriesJson>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/MeasureSeries",
    operationId: "getMeasureSeries",
    summary: "Measures over time",
    description:
      "Returns each series, or what `selector` merges, by intervals. Distributions are kept by minutes: percentiles " +
      "have a resolution of their own, and are `null` in minutes that `from` or `until` cut.",
    parameters: [
      ...SELECTION,
      RESOLUTION,
      integerParameter("limit", "Maximum number of series.", {
        minimum: 1,
        maximum: LIMIT_MAX,
        default: LIMIT_DEFAULT,
      }),
    ],
    schema: MEASURE_SERIES,
    csv: { item: itemOf(MEASURE_SERIES, "series"), points: "seconds" },
    async handle(values) {
      const read = async (limitDefault: number): Promise<MeasureSeriesJson> =>
        readSeries({
          ...queryOf(values),
          resolutionSeconds: resolutionOf(values),
          limit: Number(values.get("limit") ?? limitDefault),
        });
      const answer = await read(LIMIT_DEFAULT);
      // CSV has no place for `notShown`: without a limit, it has all series.
      const items = async function* () {
        yield* (answer.notShown === 0 ? answer : await read(LIMIT_MAX)).series;
      };
      return { ...jsonResponse(answer, { isCacheable: true }), items };
    },
  };
}

/** The selector of a parameter; `undefined` without it. Throws `bad-parameter`. */
export function selectorIn(
  values: ParameterValues,
  parameter = "selector",
): MeasureSelector | undefined {
  const text = values.get(parameter);
  return text === undefined ? undefined : requireMeasureSelector(text, parameter);
}

function queryOf(values: ParameterValues): MeasuresQuery {
  return {
    loadTestId: idOf(values),
    range: rangeOf(values),
    name: values.get("measure"),
    endpoint: values.get("endpoint")?.toLowerCase(),
    selector: selectorIn(values),
  };
}
