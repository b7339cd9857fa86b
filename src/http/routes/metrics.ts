import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { MetricsAnswer, MetricsQuery } from "../../query/read-metrics.ts";
import { CSV_COLUMNS } from "../../render/csv.ts";
import { METRICS_FORMATS, type MetricsFormat } from "../../render/renderer.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import type { JsonSchema } from "../../api/schema.ts";
import type { Parameter, ParameterValues } from "../request/parameters.ts";
import { JSON_CONTENT_TYPE, type Route } from "../route.ts";
import {
  FILTER,
  FROM,
  HASH,
  RESOLUTION,
  UNTIL,
  checkSelection,
  rangeOf,
  selectionOf,
} from "../schemas/selection.ts";

const decimalText = { type: "string", pattern: "^(0|[1-9][0-9]*)(\\.[0-9]{0,5}[1-9])?$" };

const integerText = { type: "string", pattern: "^(0|[1-9][0-9]*)$" };

const second = { type: "integer", minimum: 0, maximum: 4_294_967_295 };

const number = { type: "number", minimum: 0 };

const csvData = {
  type: "array",
  description:
    "A header row, then one row for each data point, ascending. Row 0, if there, holds the " +
    "requests whose instant is not known.",
  prefixItems: [{ type: "array", const: CSV_COLUMNS }],
  items: {
    type: "array",
    prefixItems: [
      integerText,
      decimalText,
      integerText,
      decimalText,
      decimalText,
      integerText,
      decimalText,
    ],
    items: false,
    minItems: 7,
  },
  minItems: 1,
};

const overview = {
  title: "Overview",
  type: "object",
  description: "All data points together.",
  properties: {
    avgLoadTime: { ...decimalText, description: "Average response time in seconds." },
    count: { ...integerText, description: "Requests, failed ones included." },
    downloadSize: { ...decimalText, description: "Average size of an answer in bytes." },
    errAvgLoadTime: { ...decimalText, description: "The same of failed requests." },
    errCount: { ...integerText, description: "Failed requests." },
    errDownloadSize: { ...decimalText, description: "The same of failed requests." },
    range: {
      type: "integer",
      minimum: 0,
      description: "Seconds from the begin of the first data point to the end of the last.",
    },
  },
  required: [
    "avgLoadTime",
    "count",
    "downloadSize",
    "errAvgLoadTime",
    "errCount",
    "errDownloadSize",
    "range",
  ],
  additionalProperties: false,
};

const SERIES: Record<string, string> = {
  pageRespTimePerSec: "Average response time in seconds.",
  pageReqPerSec: "Requests per second, failed ones included.",
  pageKbPerSec: "KiB (1,024 bytes) received per second.",
  pageErrRespTime: "Average response time of failed requests in seconds, 0 where none failed.",
  pageErrCount: "Failed requests per second.",
  pageErrKb: "KiB received by failed requests per second.",
};

const labels = { type: "array", items: second, description: "Every x of the series, ascending." };

const xyPoint = {
  title: "XyPoint",
  type: "object",
  properties: { x: second, y: number },
  required: ["x", "y"],
  additionalProperties: false,
};

const xyData = seriesData("xy", () => ({ type: "array", items: xyPoint }));

const defaultData = seriesData("default", (name) => ({
  type: "object",
  propertyNames: { pattern: "^[1-9][0-9]{0,9}$" },
  additionalProperties: name === "pageErrRespTime" ? decimalText : number,
}));

/** The answer of `GET /Api/Metrics` in any of its formats. */
const METRICS_SCHEMA: JsonSchema = {
  type: "array",
  description: "One item for each endpoint, by label, ascending by UTF-8 bytes.",
  items: {
    type: "object",
    properties: {
      hash: {
        type: "string",
        pattern: "^[0-9a-f]{40}$",
        description: "SHA-1 of the label's UTF-8 bytes.",
      },
      label: { type: "string", description: "The label as it was recorded." },
      data: { oneOf: [{ title: "csv", ...csvData }, xyData, defaultData] },
    },
    required: ["hash", "label", "data"],
    additionalProperties: false,
  },
};

const ONE_OF_BOTH = "Either `filter` or `hash` must be given.";

const PARAMETERS: readonly Parameter[] = [
  {
    name: "loadTestId",
    description: "Identifies the load test.",
    required: true,
    schema: { type: "string", minLength: 1 },
    example: "7530493087449088000",
  },
  { ...FILTER, description: `${FILTER.description} ${ONE_OF_BOTH}` },
  {
    ...HASH,
    description: `${HASH.description} The answer then holds at most one item. ${ONE_OF_BOTH}`,
  },
  {
    name: "format",
    description: "Form of each item's `data`.",
    required: false,
    schema: { type: "string", enum: METRICS_FORMATS, default: "default" },
  },
  FROM,
  UNTIL,
  RESOLUTION,
];

/** `GET /Api/Metrics`, the operation of the specification. */
export function createMetricsRoute(
  openMetrics: (query: MetricsQuery) => Promise<MetricsAnswer>,
): Route {
  return {
    method: "GET",
    path: "/Api/Metrics",
    operationId: "getMetrics",
    summary: "Metrics of a load test, by endpoint and second",
    description:
      "Returns one item for each endpoint whose label contains `filter`, or the endpoint with " +
      "this `hash`; `[]` where nothing matches. Parameters not listed here are ignored.",
    scope: "read",
    parameters: PARAMETERS,
    check: checkTogether,
    madeOf: (values) => ({ loadTestIds: [values.get("loadTestId") ?? ""] }),
    mediaType: "application/json",
    schema: METRICS_SCHEMA,
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const query = queryOf(values);
      const answer = await openMetrics(query);
      return {
        contentType: JSON_CONTENT_TYPE,
        headers: {},
        tagParts: [WRITTEN_FORM, answer.revision, JSON.stringify(query)],
        pieces: () => answer.pieces(),
        release: () => answer.release(),
      };
    },
  };
}

/** To be changed whenever the same data are written differently, so that no cache keeps the old. */
const WRITTEN_FORM = "1";

function checkTogether(values: ParameterValues): readonly ParameterComplaint[] {
  const complaints = checkSelection(values);
  if (values.has("filter") || values.has("hash")) return complaints;
  return [{ parameter: "filter", detail: "filter or hash is required" }, ...complaints];
}

function queryOf(values: ParameterValues): MetricsQuery {
  return {
    loadTestId: values.get("loadTestId") ?? "",
    selection: selectionOf(values) ?? ALL_ENDPOINTS,
    range: rangeOf(values),
    resolutionSeconds: Number(values.get("resolution") ?? 1),
    format: (values.get("format") ?? "default") as MetricsFormat,
  };
}

function seriesData(title: string, shapeOf: (name: string) => JsonSchema): JsonSchema {
  const names = Object.keys(SERIES);
  const shapes = names.map((name) => [name, { ...shapeOf(name), description: SERIES[name] }]);
  return {
    title,
    type: "object",
    properties: { overview, labels, ...Object.fromEntries(shapes) },
    required: ["overview", "labels", ...names],
    additionalProperties: false,
  };
}
