import {
  ENDPOINT,
  NOT_NEGATIVE,
  NUMBER_OR_NULL,
  PAIR,
  QUALITY,
  TEXT,
  WHOLE,
  WHOLE_OR_NULL,
} from "./parts.ts";
import { about, choice, list, named, object, optional, type Static } from "./schema.ts";
import { PERCENTILE_ORIGINS, FIGURES } from "./summary.ts";

const AVERAGES = list(NUMBER_OR_NULL, "In seconds; null if unknown.");

const PERCENTILES = {
  type: "object",
  description:
    "For each percentile, its values in seconds, one per entry of `labels`; null if unknown.",
  additionalProperties: list(NUMBER_OR_NULL),
} as const;

const BAND_EDGE = about(
  named("BandEdge", { avgLoadTime: AVERAGES, percentiles: PERCENTILES }),
  "Extremes over the endpoints with requests in a point.",
);

const BAND = about(object({ lowest: BAND_EDGE, highest: BAND_EDGE }), "Only with `band=true`.");

const ITEM = object({
  labels: list({ type: "integer" }, "UNIX seconds at which the points start, ascending."),
  count: list(WHOLE, "Requests per point."),
  errCount: list(WHOLE, "Failed requests per point."),
  avgLoadTime: AVERAGES,
  receivedBytes: list(WHOLE_OR_NULL, "Bytes per point; null if not recorded."),
  percentileOrigin: about(
    choice(PERCENTILE_ORIGINS),
    "Whether `percentiles` are computed, reported by the load tool per window, or unknown.",
  ),
  percentiles: PERCENTILES,
  hash: optional(ENDPOINT.hash),
  label: optional(TEXT, "Absent, like `hash`, if endpoints are merged."),
  windows: optional(
    list(
      { type: "integer", minimum: 1 },
      "Seconds that each point covers; absent if all cover `resolution`.",
    ),
  ),
  leftOut: optional(
    object({
      windows: list(
        object({ from: WHOLE, until: WHOLE }),
        "Their first seconds, from the first of a range until after the last.",
      ),
      points: about(WHOLE, "Points of several seconds that no other window holds."),
    }),
    "Windows of `window` that are not there since they begin or end within a point of several seconds.",
  ),
  quality: optional(QUALITY, "Limitations of the values; absent if there are none."),
  band: optional(BAND),
});

export type PercentilesItem = Static<typeof ITEM>;
export type BandJson = Static<typeof BAND>;

/** Of `GET /Api/LoadTests/{id}/Percentiles`. */
export const PERCENTILES_SCHEMA = list(ITEM);

/** Of `GET /Api/LoadTests/{id}/Heatmap`. */
export const HEATMAP = object({
  resolution: about(WHOLE, "Width of a column in seconds."),
  labels: list(WHOLE, "UNIX seconds at which the columns with requests start, ascending."),
  rows: list(
    NOT_NEGATIVE,
    "Response times in seconds at which the rows start, ascending; the last value ends the last " +
      "row.",
  ),
  cells: list(list(PAIR), "The cells of each column: pairs of row index and number of requests."),
});

export type HeatmapJson = Static<typeof HEATMAP>;

const RECTANGLE_COUNTS = {
  requests: about(WHOLE, "Requests in the rectangle."),
  errCount: about(
    WHOLE_OR_NULL,
    "Failed requests in the rectangle; null if response times of failed requests are unknown.",
  ),
  ofRequests: about(
    WHOLE,
    "Requests of these seconds in the heatmap, whatever their response time.",
  ),
  unknownRequests: about(
    WHOLE,
    "Requests of these seconds that are not in the heatmap: their times are unknown.",
  ),
} as const;

/** Of `GET /Api/LoadTests/{id}/Heatmap/Endpoints`. */
export const HEATMAP_ENDPOINTS = object({
  ...RECTANGLE_COUNTS,
  endpointCount: about(WHOLE, "Endpoints with requests in the rectangle."),
  endpoints: list(
    object({ ...ENDPOINT, ...RECTANGLE_COUNTS }),
    "Those with the most requests in the rectangle, most first.",
  ),
});

export type HeatmapEndpointsJson = Static<typeof HEATMAP_ENDPOINTS>;

/** Of `GET /Api/LoadTests/{id}/Distribution`. */
export const DISTRIBUTION = object({
  overall: about(
    named("Figures", FIGURES),
    "Statistics of all selected endpoints together, as in the summary.",
  ),
  quality: QUALITY,
  times: list(NOT_NEGATIVE, "Observed response times in seconds, ascending."),
  counts: list(
    { type: "integer", minimum: 1 },
    "Number of requests per entry of `times`, without averaged requests and those without a " +
      "response time.",
  ),
});

export type DistributionJson = Static<typeof DISTRIBUTION>;
