import { ENDPOINT, QUALITY, WHOLE, PAIR } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";
import { PERCENTILE_ORIGINS, FIGURES, OPTIONAL_FIGURES } from "./summary.ts";

const NUMBER_OR_NULL = { type: ["number", "null"] } as const;

const AVERAGES = list(NUMBER_OR_NULL, "In seconds; null where it is unknown.");

const PERCENTILES = {
  type: "object",
  description: "By percentile its values in seconds, one for each of `labels`; null where unknown.",
  additionalProperties: list(NUMBER_OR_NULL),
} as const;

const BAND_EDGE = object(
  { avgLoadTime: AVERAGES, percentiles: PERCENTILES },
  {},
  {
    title: "BandEdge",
    description: "Of the values of the endpoints that have requests in a point.",
  },
);

const BAND = object(
  { lowest: BAND_EDGE, highest: BAND_EDGE },
  {},
  { description: "Only with `band=true`." },
);

const ITEM = object(
  {
    labels: list({ type: "integer" }, "UNIX seconds at which points begin, ascending."),
    count: list(WHOLE, "Requests of each point."),
    errCount: list(WHOLE, "Failed requests of each point."),
    avgLoadTime: AVERAGES,
    receivedBytes: list(
      { type: ["integer", "null"], minimum: 0 },
      "Bytes of each point; null where not recorded.",
    ),
    origin: {
      type: "string",
      enum: PERCENTILE_ORIGINS,
      description:
        "Whether `percentiles` were computed, reported by the load tool for each window, or are unknown.",
    },
    percentiles: PERCENTILES,
  },
  {
    hash: ENDPOINT.hash,
    label: { type: "string", description: "Absent, like `hash`, where endpoints were merged." },
    windows: list(
      { type: "integer", minimum: 1 },
      "Seconds that each point covers; absent where all cover `resolution`.",
    ),
    quality: { ...QUALITY, description: "What the values cannot tell; absent where nothing." },
    band: BAND,
  },
);

export type PercentilesItem = Static<typeof ITEM>;
export type BandJson = Static<typeof BAND>;

/** Of `GET /Api/LoadTests/{id}/Percentiles`. */
export const PERCENTILES_SCHEMA = list(ITEM);

/** Of `GET /Api/LoadTests/{id}/Heatmap`. */
export const HEATMAP = object({
  resolution: { ...WHOLE, description: "Seconds of a column." },
  labels: list(WHOLE, "UNIX seconds at which the columns that have requests begin, ascending."),
  rows: list(
    { type: "number", minimum: 0 },
    "Seconds at which rows begin, ascending; the last one ends the row before it.",
  ),
  cells: list(
    list(PAIR),
    "For each column its cells: pairs of the index of the row and the requests.",
  ),
});

export type HeatmapJson = Static<typeof HEATMAP>;

/** Of `GET /Api/LoadTests/{id}/Distribution`. */
export const DISTRIBUTION = object({
  overall: object(FIGURES, OPTIONAL_FIGURES, {
    title: "Figures",
    description: "Figures of all that is selected as one, as in the summary.",
  }),
  quality: QUALITY,
  times: list({ type: "number", minimum: 0 }, "Response times that were seen, seconds, ascending."),
  counts: list(
    { type: "integer", minimum: 1 },
    "Requests that took each of `times`; averaged requests and those without a time are not among them.",
  ),
});

export type DistributionJson = Static<typeof DISTRIBUTION>;
