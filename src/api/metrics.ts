import { ENDPOINT, SECOND, WHOLE } from "./parts.ts";
import { list, type JsonSchema, object } from "./schema.ts";

/** Columns of the format `csv`, in order. */
export const CSV_COLUMNS = [
  "Timestamp",
  "avgLoadTime",
  "count",
  "downloadSize",
  "errAvgLoadTime",
  "errCount",
  "errDownloadSize",
] as const;

const decimalText = { type: "string", pattern: "^(0|[1-9][0-9]*)(\\.[0-9]{0,5}[1-9])?$" } as const;
const integerText = { type: "string", pattern: "^(0|[1-9][0-9]*)$" } as const;
const number = { type: "number", minimum: 0 } as const;

const CSV_DATA = {
  title: "csv",
  type: "array",
  description:
    "A header row, then one row per data point, ascending. Row 0, if present, counts the " +
    "requests without a timestamp.",
  prefixItems: [{ type: "array", const: CSV_COLUMNS }],
  items: {
    type: "array",
    prefixItems: CSV_COLUMNS.map((name) =>
      name === "Timestamp" || name === "count" || name === "errCount" ? integerText : decimalText,
    ),
    items: false,
    minItems: CSV_COLUMNS.length,
  },
  minItems: 1,
};

const OVERVIEW = object(
  {
    avgLoadTime: { ...decimalText, description: "Average response time in seconds." },
    count: { ...integerText, description: "Requests, including failed ones." },
    downloadSize: { ...decimalText, description: "Average response size in bytes." },
    errAvgLoadTime: { ...decimalText, description: "The same for failed requests." },
    errCount: { ...integerText, description: "Failed requests." },
    errDownloadSize: { ...decimalText, description: "The same for failed requests." },
    range: {
      ...WHOLE,
      description: "Seconds from the start of the first data point to the end of the last.",
    },
  },
  {},
  { title: "Overview", description: "Statistics over all data points." },
);

const SERIES = {
  pageRespTimePerSec: "Average response time in seconds.",
  pageReqPerSec: "Requests per second, including failed ones.",
  pageKbPerSec: "KiB (1,024 bytes) received per second.",
  pageErrRespTime: "Average response time of failed requests in seconds; 0 if none failed.",
  pageErrCount: "Failed requests per second.",
  pageErrKb: "KiB received by failed requests per second.",
};

const XY_POINT = object({ x: SECOND, y: number }, {}, { title: "XyPoint" });

/** Of `GET /Api/Metrics`, in any of its formats. */
export const METRICS = list(
  object({
    hash: { ...ENDPOINT.hash, description: "SHA-1 of the label's UTF-8 bytes." },
    label: { type: "string", description: "The label as recorded." },
    data: {
      oneOf: [
        CSV_DATA,
        seriesData("xy", () => list(XY_POINT)),
        seriesData("default", (name) => ({
          type: "object",
          propertyNames: { pattern: "^[1-9][0-9]{0,9}$" },
          additionalProperties: name === "pageErrRespTime" ? decimalText : number,
        })),
      ],
    },
  }),
  "One item per endpoint, sorted by the UTF-8 bytes of the label.",
);

function seriesData(title: string, schemaOf: (name: string) => JsonSchema) {
  const series = Object.entries(SERIES).map(([name, description]) => [
    name,
    { ...schemaOf(name), description },
  ]);
  return object(
    {
      overview: OVERVIEW,
      labels: list(SECOND, "All x values of the series, ascending."),
      ...(Object.fromEntries(series) as Record<string, JsonSchema>),
    },
    {},
    { title },
  );
}
