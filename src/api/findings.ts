import { ENDPOINT, REMARK, SECOND, TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const SECONDS = { type: "number", minimum: 0 } as const;
const NAMED = object(ENDPOINT, {}, { title: "NamedEndpoint" });

export type NamedEndpoint = Static<typeof NAMED>;

export const STEP = object(
  {
    kind: { const: "step" },
    at: { ...SECOND, description: "First UNIX second after the step." },
    p95Before: { ...SECONDS, description: "95th percentile of the minute before, seconds." },
    p95After: { ...SECONDS, description: "95th percentile of the minute after, seconds." },
    endpoints: list(NAMED, "Those that became slower, the worst first."),
  },
  { backAt: { ...SECOND, description: "When it was over; absent where it held." } },
);

export const BURST = object(
  {
    kind: { const: "burst" },
    from: { ...SECOND, description: "First UNIX second." },
    until: { ...SECOND, description: "Last UNIX second." },
    errCount: { ...WHOLE, description: "Failed requests within." },
    allErrCount: { ...WHOLE, description: "Failed requests of the whole range." },
    endpoints: list(NAMED, "Those with failures within, the most first."),
  },
  {
    failure: object(
      { code: TEXT, message: TEXT, count: WHOLE },
      {},
      { description: "The kind that most of them are of, if there is one." },
    ),
  },
);

export const QUALITY_FINDING = object(
  { kind: { const: "quality" }, ...REMARK },
  {},
  { description: "What the findings cannot tell." },
);

/** The common part of all findings, those of later versions included. */
export const ANY_FINDINGS = list(object({ kind: TEXT }));

/** Of `GET /Api/LoadTests/{id}/Findings`. */
export const FINDINGS = list({ oneOf: [STEP, BURST, QUALITY_FINDING] });
