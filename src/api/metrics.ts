import { ENDPOINT, NOT_NEGATIVE, SECOND, TEXT, WHOLE } from "./parts.ts";
import { about, list, type JsonSchema, named, object } from "./schema.ts";

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

const CSV_DATA = {
  type: "array",
  description:
    `Of the format \`csv\`: a header row (${CSV_COLUMNS.join(", ")}), then one row per data point, ascending. ` +
    "Row 0, if present, counts the requests without a timestamp.",
  // Generators for Java cannot compile a list of lists among alternatives.
  items: about({}, "A row: a list of seven texts."),
  minItems: 1,
};

const OVERVIEW = about(
  named("Overview", {
    avgLoadTime: about(decimalText, "Average response time in seconds."),
    count: about(integerText, "Requests, including failed ones."),
    downloadSize: about(decimalText, "Average response size in bytes."),
    errAvgLoadTime: about(decimalText, "The same for failed requests."),
    errCount: about(integerText, "Failed requests."),
    errDownloadSize: about(decimalText, "The same for failed requests."),
    range: about(WHOLE, "Seconds from the start of the first data point to the end of the last."),
  }),
  "Statistics over all data points.",
);

const SERIES = {
  pageRespTimePerSec: "Average response time in seconds.",
  pageReqPerSec: "Requests per second, including failed ones.",
  pageKbPerSec: "KiB (1,024 bytes) received per second.",
  pageErrRespTime: "Average response time of failed requests in seconds; 0 if none failed.",
  pageErrCount: "Failed requests per second.",
  pageErrKb: "KiB received by failed requests per second.",
};

const XY_POINT = named("XyPoint", { x: SECOND, y: NOT_NEGATIVE });

/** Of `GET /Api/Metrics`, in any of its formats. */
export const METRICS = list(
  object({
    hash: about(ENDPOINT.hash, "SHA-1 of the label's UTF-8 bytes."),
    label: about(TEXT, "The label as recorded."),
    data: {
      oneOf: [
        CSV_DATA,
        seriesData("XySeries", () => list(XY_POINT)),
        seriesData("SecondSeries", (name) => ({
          type: "object",
          propertyNames: { pattern: "^[1-9][0-9]{0,9}$" },
          additionalProperties: name === "pageErrRespTime" ? decimalText : NOT_NEGATIVE,
        })),
      ],
    },
  }),
  "One item per endpoint, sorted by the UTF-8 bytes of the label.",
);

function seriesData(title: string, schemaOf: (name: string) => JsonSchema) {
  const series = Object.entries(SERIES).map(([name, description]) => [
    name,
    about(schemaOf(name), description),
  ]);
  return named(title, {
    overview: OVERVIEW,
    labels: list(SECOND, "All x values of the series, ascending."),
    ...(Object.fromEntries(series) as Record<string, JsonSchema>),
  });
}
