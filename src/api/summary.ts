import { CHECKED_FIGURES } from "../model/quality/row-quality.ts";
import {
  ENDPOINT,
  FLAG,
  NOT_NEGATIVE,
  NUMBER_OR_NULL,
  QUALITY,
  ROLE,
  SECOND,
  TEXT,
  WHOLE,
  WHOLE_CONTENTS,
} from "./parts.ts";
import {
  about,
  choice,
  list,
  named,
  object,
  optional,
  type Static,
  type StaticMembers,
} from "./schema.ts";

const NULLABLE = { ...NUMBER_OR_NULL, minimum: 0 } as const;
const seconds = (description: string) =>
  about(NULLABLE, `${description}, seconds; null where it is unknown.`);

export const PERCENTILE_ORIGINS = ["computed", "reported", "unknown"] as const;

export type PercentileOrigin = (typeof PERCENTILE_ORIGINS)[number];

export const FIGURES = {
  count: about(WHOLE, "Requests."),
  errCount: about(WHOLE, "Failed requests."),
  errRate: about({ ...NOT_NEGATIVE, maximum: 1 }, "Failed requests divided by all requests."),
  untimedCount: about(WHOLE, "Requests without a response time."),
  avgLoadTime: seconds("Average response time"),
  errAvgLoadTime: seconds("Average response time of failed requests"),
  minLoadTime: seconds("Shortest response time"),
  maxLoadTime: seconds("Longest response time"),
  p50: seconds("Median of response times"),
  p90: seconds("90th percentile"),
  p95: seconds("95th percentile"),
  p99: seconds("99th percentile"),
  p999: seconds("99.9th percentile"),
  percentileOrigin: about(
    choice(PERCENTILE_ORIGINS),
    "Whether percentiles are computed, reported by the load tool for the whole run, or unknown.",
  ),
  receivedBytes: about(
    NULLABLE,
    "Bytes of all responses; null if the size of any is unknown, or over 2^53 - 1.",
  ),
  downloadSize: about(NULLABLE, "Average response size in bytes; null if any is unknown."),
  errDownloadSize: about(NULLABLE, "The same for failed requests."),
  reqPerSec: about(
    NULLABLE,
    "Requests whose second is known, divided by `range`; null without any.",
  ),
  receivedBytesPerSec: about(NULLABLE, "The same for bytes received; null if any size is unknown."),
  range: about(WHOLE, "Seconds from the first to the last request, both included."),
  from: optional(SECOND, "First UNIX second with a request."),
  until: optional(SECOND, "Last UNIX second with a request."),
  apdex: optional(
    { ...NULLABLE, maximum: 1 },
    "Apdex for the given threshold, in which failed requests are frustrated; null if unknown.",
  ),
  percentiles: optional(
    { type: "object", additionalProperties: NULLABLE },
    "The percentiles of `percent` by name, such as `p75`, in seconds; null if unknown.",
  ),
} as const;

/** Numbers in the units of `GET /Api/Metrics`, at most 6 decimals; rates, shares and sizes that would be 0 then have 3 digits. */
export type Figures = StaticMembers<typeof FIGURES>;

const ENDPOINT_FIGURES = object({
  ...ENDPOINT,
  ...FIGURES,
  role: optional(ROLE),
  parent: optional(
    TEXT,
    "The one of `parents` that it is part of; only with `tree`, absent without one.",
  ),
});

const PARENT_FIGURES = object({ label: TEXT, ...FIGURES, role: optional(ROLE) });

export type ParentFigures = Static<typeof PARENT_FIGURES>;

export type EndpointFigures = Static<typeof ENDPOINT_FIGURES>;

const UNREAD = named("UnreadRows", {
  rejectedRows: about(
    WHOLE,
    "Rows that are not counted: of which not even the outcome or, in a range, the second could be read.",
  ),
  untimedRows: about(WHOLE, "Counted rows whose response time could not be read."),
  repeatedRows: about(WHOLE, "Counted rows that may have been counted before."),
  discrepancies: list(
    object({ figure: choice(CHECKED_FIGURES), reported: WHOLE, counted: WHOLE }),
    "Totals in a file that differ from what was counted in it.",
  ),
  values: list(
    object({ name: TEXT, values: WHOLE }),
    "Values of measures that could not be read, by the name of the measure; `(other)` of any.",
  ),
  isTruncated: about(FLAG, "Whether the end of a file is missing."),
});

export type UnreadRows = Static<typeof UNREAD>;

const CHECK = named("Check", {
  name: TEXT,
  group: about(TEXT, "Path of its group, such as `shop::details`; empty: none."),
  passed: WHOLE,
  failed: WHOLE,
  rate: about({ ...NOT_NEGATIVE, maximum: 1 }, "Passed ones divided by all."),
});

export type Check = Static<typeof CHECK>;

/** Of `GET /Api/LoadTests/{id}/Summary`. */
export const SUMMARY = object({
  overall: named("Figures", FIGURES),
  quality: QUALITY,
  unread: about(UNREAD, "Rows of the sources that were not read as written, of all endpoints."),
  ...WHOLE_CONTENTS,
  endpoints: list(ENDPOINT_FIGURES),
  parents: optional(
    list(PARENT_FIGURES),
    "Values of the facet in `by`, each with the requests that have it; a transaction (`role`) with what it recorded itself. Only with `tree`.",
  ),
  checks: optional(
    list(CHECK),
    "Checks of k6 in the range, whichever endpoints are selected; the lowest `rate` first. Absent without any.",
  ),
  endpointCount: optional(
    WHOLE,
    "Number of endpoints with requests; only with `limit`, `sort`, `order` or `search`.",
  ),
  matchingCount: optional(
    WHOLE,
    "Number of them that match `search`; only with the same parameters.",
  ),
});

export type SummaryFigures = Static<typeof SUMMARY>;
