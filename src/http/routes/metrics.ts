import { METRICS } from "../../api/metrics.ts";
import type { MetricsAnswer, MetricsQuery } from "../../query/read-metrics.ts";
import { METRICS_FORMATS, type MetricsFormat } from "../../render/renderer.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import {
  flagParameter,
  textParameter,
  type Parameter,
  type ParameterValues,
} from "../request/parameters.ts";
import { jsonStream, type Route } from "../route.ts";
import {
  BY,
  checkSelection,
  FILTER,
  FROM,
  HASH,
  rangeOf,
  RESOLUTION,
  resolutionOf,
  SELECTED_ROUTE,
  selectionOf,
  UNTIL,
  WHERE,
} from "../request/selection.ts";

const ONE_OF_THEM = "One of `filter`, `hash` and `all` is required.";

const ALL = flagParameter("all", `\`true\`: all endpoints. ${ONE_OF_THEM}`);

const PARAMETERS: readonly Parameter[] = [
  {
    ...textParameter("loadTestId", "Identifies the load test.", "7530493087449088000"),
    required: true,
  },
  { ...FILTER, description: `${FILTER.description} ${ONE_OF_THEM}` },
  {
    ...HASH,
    description: `${HASH.description} The answer then holds at most one item. ${ONE_OF_THEM}`,
  },
  ALL,
  {
    name: "format",
    description: "Format of each item's `data`.",
    schema: { type: "string", enum: METRICS_FORMATS, default: "default" },
  },
  FROM,
  UNTIL,
  RESOLUTION,
  WHERE,
  BY,
];

/** `GET /Api/Metrics`, the operation of the specification. */
export function createMetricsRoute(
  openMetrics: (query: MetricsQuery) => Promise<MetricsAnswer>,
): Route {
  return {
    ...SELECTED_ROUTE,
    readsSeconds: true,
    path: "/Api/Metrics",
    operationId: "getMetrics",
    summary: "Metrics of a load test, by endpoint and second",
    description:
      "Returns one item per endpoint whose label contains `filter`, the endpoint with this " +
      "`hash`, or `all` endpoints; `[]` if none matches. Unknown parameters are ignored.",
    parameters: PARAMETERS,
    check: checkTogether,
    cacheInputs: (values) => ({ loadTestIds: [values.get("loadTestId") ?? ""] }),
    schema: METRICS,
    async handle(values) {
      const query = queryOf(values);
      const answer = await openMetrics(query);
      return jsonStream(
        [WRITTEN_FORM, answer.revision, JSON.stringify(query)],
        () => answer.chunks(),
        () => answer.release(),
      );
    },
  };
}

/** Increment when the same data are rendered differently, so that caches drop the old form. */
const WRITTEN_FORM = "2";

function checkTogether(values: ParameterValues): readonly ParameterComplaint[] {
  const complaints = checkSelection(values);
  const isSelected = values.has("filter") || values.has("hash");
  if (values.get("all") !== "true") {
    const missing = { parameter: "filter", detail: "filter, hash or all=true is required" };
    return isSelected ? complaints : [missing, ...complaints];
  }
  const both = { parameter: "all", detail: "all=true excludes filter and hash" };
  return isSelected ? [...complaints, both] : complaints;
}

function queryOf(values: ParameterValues): MetricsQuery {
  return {
    loadTestId: values.get("loadTestId") ?? "",
    selection: selectionOf(values),
    range: rangeOf(values),
    resolutionSeconds: resolutionOf(values),
    format: (values.get("format") ?? "default") as MetricsFormat,
  };
}
