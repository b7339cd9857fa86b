import { ENDPOINT, PAIR, SECOND, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

/** Endpoints listed with a failure kind; further ones are counted. */
export const ENDPOINTS_NAMED_MAX = 100;

const KIND = {
  code: { type: "string", description: "As the tool recorded it; may be empty." },
  message: {
    type: "string",
    description: "As the tool recorded it; `(other)` holds the kinds beyond the first hundred.",
  },
  count: WHOLE,
} as const;

const OPTIONAL_KIND = {
  from: { ...SECOND, description: "First UNIX second; absent where it is not known." },
  until: { ...SECOND, description: "Last UNIX second; absent where it is not known." },
} as const;

const COUNTS = {
  errCount: { ...WHOLE, description: "All failed requests of the endpoint." },
  withoutKind: { ...WHOLE, description: "Those of which the source does not say why." },
} as const;

const LEFT_OUT = {
  type: "string",
  enum: ["transaction", "subresult"],
  description: "What the rows are, where they repeat those of others: `merge` leaves them out.",
} as const;

const ITEM = object(
  {
    ...COUNTS,
    kinds: list(
      object(KIND, {
        ...OPTIONAL_KIND,
        series: list(PAIR, "Pairs of UNIX second and count, ascending; second 0 is not known."),
        endpointCount: {
          ...WHOLE,
          description: "Endpoints that have it; only with `merge=true`.",
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
    label: { type: "string", description: "Absent, like `hash`, where endpoints were merged." },
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
