import { ENDPOINT, PAIR, SECOND, TEXT, WHOLE } from "./parts.ts";
import { about, choice, list, object, optional, type Static } from "./schema.ts";

/** Endpoints listed with a failure kind; further ones are counted. */
export const ENDPOINTS_NAMED_MAX = 100;

const KIND = {
  code: about(TEXT, "As the tool recorded it; may be empty."),
  message: about(TEXT, "As the tool recorded it; `(other)` sums the kinds after the first 100."),
  count: WHOLE,
  from: optional(SECOND, "First UNIX second; absent if unknown."),
  until: optional(SECOND, "Last UNIX second; absent if unknown."),
} as const;

const COUNTS = {
  errCount: about(WHOLE, "All failed requests of the endpoint."),
  withoutKind: about(WHOLE, "Failed requests for which the source gives no reason."),
} as const;

const LEFT_OUT = about(
  choice(["transaction", "subresult"]),
  "Set if the rows repeat requests of other endpoints; `merge` excludes them.",
);

const COUNTED_KIND = {
  ...KIND,
  series: optional(
    list(PAIR, "Pairs of UNIX second and count, ascending; second 0 means unknown."),
  ),
  endpointCount: optional(WHOLE, "Number of endpoints with this kind; only with `merge=true`."),
  endpoints: optional(
    list(
      object({ ...ENDPOINT, count: WHOLE }),
      `The first ${ENDPOINTS_NAMED_MAX} of them, that with the most failures first.`,
    ),
  ),
} as const;

const OF_ENDPOINT = {
  hash: optional(ENDPOINT.hash),
  label: optional(TEXT, "Absent, like `hash`, if endpoints are merged."),
  leftOut: optional(LEFT_OUT),
} as const;

/** An endpoint and one of its kinds. */
export const FAILURES_CSV = { item: object({ ...OF_ENDPOINT, ...COUNTS, ...COUNTED_KIND }) };

const ITEM = object({
  ...COUNTS,
  kinds: list(object(COUNTED_KIND)),
  ...OF_ENDPOINT,
});

export type FailuresItem = Static<typeof ITEM>;

/** Of `GET /Api/LoadTests/{id}/Failures`. */
export const FAILURES = list(ITEM);

/** Without `merge` and `series`. */
const FAILURES_BY_ENDPOINT = list(
  object({
    ...ENDPOINT,
    ...COUNTS,
    kinds: list(object(KIND)),
    leftOut: optional(LEFT_OUT),
  }),
);

export type EndpointFailureCounts = Static<typeof FAILURES_BY_ENDPOINT>[number];
