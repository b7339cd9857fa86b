import { ENDPOINT, QUALITY, WHOLE, PAIR } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";
import { PERCENTILE_ORIGINS, FIGURES, OPTIONAL_FIGURES } from "./summary.ts";

const NUMBER_OR_NULL = { type: ["number", "null"] } as const;

const AVERAGES = list(NUMBER_OR_NULL, "In seconds; null if unknown.");

const PERCENTILES = {
  type: "object",
  description:
    "For each percentile, its values in seconds, one per entry of `labels`; null if unknown.",
  additionalProperties: list(NUMBER_OR_NULL),
} as const;

const BAND_EDGE = object(
  { avgLoadTime: AVERAGES, percentiles: PERCENTILES },
  {},
  {
    title: "BandEdge",
    description: "Extremes over the endpoints with requests in a point.",
  },
);

const BAND = object(
  { lowest: BAND_EDGE, highest: BAND_EDGE },
  {},
  { description: "Only with `band=true`." },
);

const ITEM = object(
  {
    labels: list({ type: "integer" }, "UNIX seconds at which the points start, ascending."),
    count: list(WHOLE, "Requests per point."),
    errCount: list(WHOLE, "Failed requests per point."),
    avgLoadTime: AVERAGES,
    receivedBytes: list(
      { type: ["integer", "null"], minimum: 0 },
      "Bytes per point; null if not recorded.",
    ),
    origin: {
      type: "string",
      enum: PERCENTILE_ORIGINS,
      description:
        "Whether `percentiles` are computed, reported by the load tool per window, or unknown.",
    },
    percentiles: PERCENTILES,
  },
  {
    hash: ENDPOINT.hash,
    label: { type: "string", description: "Absent, like `hash`, if endpoints are merged." },
    windows: list(
      { type: "integer", minimum: 1 },
      "Seconds that each point covers; absent if all cover `resolution`.",
    ),
    quality: { ...QUALITY, description: "Limitations of the values; absent if there are none." },
    band: BAND,
  },
);

export type PercentilesItem = Static<typeof ITEM>;
export type BandJson = Static<typeof BAND>;

/** Of `GET /Api/LoadTests/{id}/Percentiles`. */
export const PERCENTILES_SCHEMA = list(ITEM);

/** Of `GET /Api/LoadTests/{id}/Heatmap`. */
export const HEATMAP = object({
  resolution: { ...WHOLE, description: "Width of a column in seconds." },
  labels: list(WHOLE, "UNIX seconds at which the columns with requests start, ascending."),
  rows: list(
    { type: "number", minimum: 0 },
    "Response times in seconds at which the rows start, ascending; the last value ends the last " +
      "row.",
  ),
  cells: list(list(PAIR), "The cells of each column: pairs of row index and number of requests."),
});

export type HeatmapJson = Static<typeof HEATMAP>;

const RECTANGLE_COUNTS = {
  requests: { ...WHOLE, description: "Requests in the rectangle." },
  errCount: {
    type: ["integer", "null"],
    minimum: 0,
    description:
      "Failed requests in the rectangle; null if response times of failed requests are unknown.",
  },
  ofRequests: {
    ...WHOLE,
    description: "Requests of these seconds in the heatmap, whatever their response time.",
  },
  unknownRequests: {
    ...WHOLE,
    description: "Requests of these seconds that are not in the heatmap: their times are unknown.",
  },
} as const;

/** Of `GET /Api/LoadTests/{id}/Heatmap/Endpoints`. */
export const HEATMAP_ENDPOINTS = object({
  ...RECTANGLE_COUNTS,
  endpointCount: { ...WHOLE, description: "Endpoints with requests in the rectangle." },
  endpoints: list(
    object({ ...ENDPOINT, ...RECTANGLE_COUNTS }),
    "Those with the most requests in the rectangle, most first.",
  ),
});

export type HeatmapEndpointsJson = Static<typeof HEATMAP_ENDPOINTS>;

/** Of `GET /Api/LoadTests/{id}/Distribution`. */
export const DISTRIBUTION = object({
  overall: object(FIGURES, OPTIONAL_FIGURES, {
    title: "Figures",
    description: "Statistics of all selected endpoints together, as in the summary.",
  }),
  quality: QUALITY,
  times: list({ type: "number", minimum: 0 }, "Observed response times in seconds, ascending."),
  counts: list(
    { type: "integer", minimum: 1 },
    "Number of requests per entry of `times`, without averaged requests and those without a " +
      "response time.",
  ),
});

export type DistributionJson = Static<typeof DISTRIBUTION>;
