import { ENDPOINT, QUALITY, ROLE, SECOND, WHOLE, WHOLE_CONTENTS } from "./parts.ts";
import { list, object, type Static, type StaticMembers } from "./schema.ts";

const NUMBER = { type: "number", minimum: 0 } as const;
const NULLABLE = { type: ["number", "null"], minimum: 0 } as const;
const seconds = (description: string) => ({
  ...NULLABLE,
  description: `${description}, seconds; null where it is unknown.`,
});

export const PERCENTILE_ORIGINS = ["computed", "reported", "unknown"] as const;

export type PercentileOrigin = (typeof PERCENTILE_ORIGINS)[number];

/** Required members. */
export const FIGURES = {
  count: { ...WHOLE, description: "Requests." },
  errCount: { ...WHOLE, description: "Failed requests." },
  errRate: { ...NUMBER, maximum: 1, description: "Failed requests divided by all requests." },
  untimedCount: { ...WHOLE, description: "Requests without a response time." },
  avgLoadTime: seconds("Average response time"),
  errAvgLoadTime: seconds("Average response time of failed requests"),
  minLoadTime: seconds("Shortest response time"),
  maxLoadTime: seconds("Longest response time"),
  p50: seconds("Median of response times"),
  p90: seconds("90th percentile"),
  p95: seconds("95th percentile"),
  p99: seconds("99th percentile"),
  p999: seconds("99.9th percentile"),
  percentiles: {
    type: "string",
    enum: PERCENTILE_ORIGINS,
    description:
      "Whether percentiles are computed, reported by the load tool for the whole run, or unknown.",
  },
  receivedBytes: { ...NULLABLE, description: "Bytes of all responses; null if not recorded." },
  downloadSize: {
    ...NULLABLE,
    description: "Average response size in bytes; null if not recorded.",
  },
  errDownloadSize: { ...NULLABLE, description: "The same for failed requests." },
  reqPerSec: { ...NUMBER, description: "Requests divided by `range`." },
  kbPerSec: { ...NULLABLE, description: "KiB received divided by `range`; null if not recorded." },
  range: { ...WHOLE, description: "Seconds from the first to the last request, both included." },
} as const;

/** Members that are absent if unknown or not requested. */
export const OPTIONAL_FIGURES = {
  from: { ...SECOND, description: "First UNIX second with a request." },
  until: { ...SECOND, description: "Last UNIX second with a request." },
  apdex: {
    ...NULLABLE,
    maximum: 1,
    description: "Apdex for the given threshold; null if unknown.",
  },
  requestedPercentiles: {
    type: "object",
    description:
      "The percentiles of `percent` by name, such as `p75`, in seconds; null if unknown.",
    additionalProperties: NULLABLE,
  },
} as const;

/** Numbers in the units of `GET /Api/Metrics`, at most 6 decimals. */
export type Figures = StaticMembers<typeof FIGURES, typeof OPTIONAL_FIGURES>;

const ENDPOINT_FIGURES = object({ ...ENDPOINT, ...FIGURES }, { role: ROLE, ...OPTIONAL_FIGURES });

export type EndpointFigures = Static<typeof ENDPOINT_FIGURES>;

/** Of `GET /Api/LoadTests/{id}/Summary`. */
export const SUMMARY = object(
  {
    overall: object(FIGURES, OPTIONAL_FIGURES, { title: "Figures" }),
    quality: QUALITY,
    ...WHOLE_CONTENTS,
    endpoints: list(ENDPOINT_FIGURES),
  },
  {
    endpointCount: {
      ...WHOLE,
      description:
        "Number of endpoints with requests; only with `limit`, `sort`, `order` or `search`.",
    },
    matchingCount: {
      ...WHOLE,
      description: "Number of them that match `search`; only with the same parameters.",
    },
  },
);

export type SummaryFigures = Static<typeof SUMMARY>;
