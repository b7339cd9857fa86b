import { CSV_COLUMNS } from "../../render/csv.ts";
import type { JsonSchema } from "../route.ts";

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
export const METRICS_SCHEMA: JsonSchema = {
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
