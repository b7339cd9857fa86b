import { ENDPOINT, PAIR, SECOND, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

/** Endpoints listed with a failure kind; further ones are counted. */
export const ENDPOINTS_NAMED_MAX = 100;

const KIND = {
  code: { type: "string", description: "As the tool recorded it; may be empty." },
  message: {
    type: "string",
    description: "As the tool recorded it; `(other)` sums the kinds after the first 100.",
  },
  count: WHOLE,
} as const;

const OPTIONAL_KIND = {
  from: { ...SECOND, description: "First UNIX second; absent if unknown." },
  until: { ...SECOND, description: "Last UNIX second; absent if unknown." },
} as const;

const COUNTS = {
  errCount: { ...WHOLE, description: "All failed requests of the endpoint." },
  withoutKind: { ...WHOLE, description: "Failed requests for which the source gives no reason." },
} as const;

const LEFT_OUT = {
  type: "string",
  enum: ["transaction", "subresult"],
  description: "Set if the rows repeat requests of other endpoints; `merge` excludes them.",
} as const;

const ITEM = object(
  {
    ...COUNTS,
    kinds: list(
      object(KIND, {
        ...OPTIONAL_KIND,
        series: list(PAIR, "Pairs of UNIX second and count, ascending; second 0 means unknown."),
        endpointCount: {
          ...WHOLE,
          description: "Number of endpoints with this kind; only with `merge=true`.",
        },
        endpoints: list(
          object({ ...ENDPOINT, count: WHOLE }),
          `The first ${ENDPOINTS_NAMED_MAX} of them, that with the most failures first.`,
        ),
      }),
    ),
  },
  {
    hash: ENDPOINT.hash,
    label: { type: "string", description: "Absent, like `hash`, if endpoints are merged." },
    leftOut: LEFT_OUT,
  },
);

export type FailuresItem = Static<typeof ITEM>;

/** Of `GET /Api/LoadTests/{id}/Failures`. */
export const FAILURES = list(ITEM);

/** Without `merge` and `series`. */
export const FAILURES_BY_ENDPOINT = list(
  object(
    { ...ENDPOINT, ...COUNTS, kinds: list(object(KIND, OPTIONAL_KIND)) },
    { leftOut: LEFT_OUT },
  ),
);
