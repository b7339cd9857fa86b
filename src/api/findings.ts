import { ENDPOINT, QUALITY, REMARK, SECOND, TEXT, WHOLE } from "./parts.ts";
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

const NUMBER = { type: "number", minimum: 0 } as const;

const LIMITED = object(
  { value: NUMBER, low: NUMBER, high: NUMBER },
  {},
  { title: "Limited", description: "A value with its 95 % confidence limits." },
);

/** Of `GET /Api/LoadTests/{id}/Capacity`. */
export const CAPACITY = object(
  {
    load: {
      type: "string",
      enum: ["users", "rate"],
      description: "What load is: active users, or requests per second if users are not recorded.",
    },
    levels: list(
      object({
        load: NUMBER,
        reqPerSec: NUMBER,
        p95: {
          type: ["number", "null"],
          description: "In seconds; `null` if not known, or of fewer than 20 requests per window.",
        },
      }),
      "Load levels, ascending.",
    ),
    isLoadVaried: {
      type: "boolean",
      description:
        "Whether the load varied enough to find limits: 5 levels, the largest twice the smallest.",
    },
    quality: QUALITY,
  },
  {
    peak: object(
      {
        load: LIMITED,
        reqPerSec: LIMITED,
        law: object(
          { reqPerSecOfOne: NUMBER, contention: { type: "number" }, coherency: NUMBER },
          {},
          {
            description:
              "The fitted Universal Scalability Law: reqPerSecOfOne * N / " +
              "(1 + contention * (N - 1) + coherency * N * (N - 1)) requests per second at N users.",
          },
        ),
      },
      {},
      { description: "Largest throughput; absent if throughput grew up to the largest load." },
    ),
    p95Doubled: object(
      { load: NUMBER, p95Before: NUMBER, p95After: NUMBER },
      {},
      {
        description:
          "Load at which the 95th percentile is twice that of the lowest loads; absent if none is.",
      },
    ),
  },
  { title: "Capacity" },
);

export type CapacityJson = Static<typeof CAPACITY>;
