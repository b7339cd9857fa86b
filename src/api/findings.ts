import { ENDPOINT, REMARK, SECOND, TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const SECONDS = { type: "number", minimum: 0 } as const;
const NAMED = object(ENDPOINT, {}, { title: "NamedEndpoint" });

export type NamedEndpoint = Static<typeof NAMED>;

export const STEP = object(
  {
    kind: { const: "step" },
    at: { ...SECOND, description: "First UNIX second after the step." },
    p95Before: {
      ...SECONDS,
      description: "95th percentile of the minute before the step, in seconds.",
    },
    p95After: {
      ...SECONDS,
      description: "95th percentile of the minute after the step, in seconds.",
    },
    endpoints: list(NAMED, "Endpoints that became slower, worst first."),
  },
  { backAt: { ...SECOND, description: "UNIX second at which it ended; absent if it lasted." } },
);

export const BURST = object(
  {
    kind: { const: "burst" },
    from: { ...SECOND, description: "First UNIX second." },
    until: { ...SECOND, description: "Last UNIX second." },
    errCount: { ...WHOLE, description: "Failed requests during the burst." },
    allErrCount: { ...WHOLE, description: "Failed requests in the whole range." },
    endpoints: list(NAMED, "Endpoints with failures during the burst, most failures first."),
  },
  {
    failure: object(
      { code: TEXT, message: TEXT, count: WHOLE },
      {},
      { description: "The kind of more than half of them, if any." },
    ),
  },
);

export const QUALITY_FINDING = object(
  { kind: { const: "quality" }, ...REMARK },
  {},
  { description: "Limitations of the anomalies." },
);

/** The common part of all findings, those of later versions included. */
export const ANY_FINDINGS = list(object({ kind: TEXT }));

/** Of `GET /Api/LoadTests/{id}/Findings`. */
export const FINDINGS = list({ oneOf: [STEP, BURST, QUALITY_FINDING] });
