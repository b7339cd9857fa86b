import {
  ENDPOINT,
  FLAG,
  NOT_NEGATIVE,
  NUMBER,
  NUMBER_OR_NULL,
  QUALITY,
  REMARK,
  SECOND,
  TEXT,
  WHOLE,
} from "./parts.ts";
import { about, choice, list, named, object, optional, type Static } from "./schema.ts";

const NAMED = named("NamedEndpoint", ENDPOINT);

export type NamedEndpoint = Static<typeof NAMED>;

const FACET_VALUE = object({ name: TEXT, value: TEXT });

export type FacetValue = Static<typeof FACET_VALUE>;

const FACETS_OF_INCIDENT = optional(
  list(FACET_VALUE),
  "Facet values that explain the incident, such as a single host; absent if there are none.",
);

const STEP = named("StepFinding", {
  kind: { const: "step" },
  at: about(SECOND, "First UNIX second after the step."),
  p95Before: about(NOT_NEGATIVE, "95th percentile of the minute before the step, in seconds."),
  p95After: about(
    NOT_NEGATIVE,
    "95th percentile of the minute after the step, in seconds; until `backAt` if that is sooner.",
  ),
  endpoints: list(NAMED, "Endpoints that became slower, worst first."),
  backAt: optional(SECOND, "UNIX second at which it ended; absent if no end is seen."),
  of: optional(NAMED, "The endpoint of these percentiles; absent for all requests together."),
  facets: FACETS_OF_INCIDENT,
});

export type StepFinding = Static<typeof STEP>;

const BURST = named("BurstFinding", {
  kind: { const: "burst" },
  from: about(SECOND, "First UNIX second."),
  until: about(SECOND, "Last UNIX second."),
  errCount: about(WHOLE, "Failed requests during the burst."),
  allErrCount: about(WHOLE, "Failed requests in the whole range, of `of` if it is given."),
  of: optional(NAMED, "The endpoint whose failures these are; absent: all requests together."),
  endpoints: list(NAMED, "Endpoints with failures during the burst, most failures first."),
  failure: optional(
    object({ code: TEXT, message: TEXT, count: WHOLE }),
    "The kind of more than half of them, if any.",
  ),
  facets: FACETS_OF_INCIDENT,
});

export type BurstFinding = Static<typeof BURST>;

const FAILING = named("FailingFinding", {
  kind: { const: "failing" },
  from: about(SECOND, "First UNIX second of the range."),
  until: about(SECOND, "Last UNIX second of the range."),
  count: about(WHOLE, "Requests of these endpoints."),
  errCount: about(WHOLE, "How many of these requests failed."),
  isAll: about(FLAG, "Whether no other endpoint has requests."),
  endpointCount: about(
    WHOLE,
    "How many endpoints fail throughout, of the 1,000 with the most requests if there are very many.",
  ),
  endpoints: list(NAMED, "Most failures first; at most 50."),
});

/** Endpoints at which at least half of the requests failed, not counting bursts. */
export type FailingFinding = Static<typeof FAILING>;

const DROP = named("DropFinding", {
  kind: { const: "drop" },
  from: about(
    SECOND,
    "First UNIX second with less than half of the requests of the minute before.",
  ),
  until: about(SECOND, "Last such UNIX second."),
  reqPerSecBefore: about(NOT_NEGATIVE, "Requests per second in the minute before."),
  reqPerSec: about(NOT_NEGATIVE, "Requests per second during the drop."),
  users: about(WHOLE, "Fewest active users during the drop."),
});

/** A drop in throughput while users remain active. */
export type DropFinding = Static<typeof DROP>;

const DRIFT = named("DriftFinding", {
  kind: { const: "drift" },
  from: about(SECOND, "First UNIX second with steady load."),
  until: about(SECOND, "Last such UNIX second."),
  p95Before: about(NOT_NEGATIVE, "95th percentile of the first fifth of that time, in seconds."),
  p95After: about(NOT_NEGATIVE, "95th percentile of its last fifth, in seconds."),
});

/** Response times that rise slowly under steady load. */
export type DriftFinding = Static<typeof DRIFT>;

const OMITTED = named("OmittedRequests", {
  from: about(SECOND, "First UNIX second in which fewer requests began."),
  until: about(SECOND, "Last such UNIX second."),
  requests: about(WHOLE, "About how many were not sent, or late."),
  waitSeconds: about(NOT_NEGATIVE, "How long the requests took that were in flight."),
  isLate: about(FLAG, "Whether they were sent after it."),
});

export type OmittedRequests = Static<typeof OMITTED>;

const OMISSION = named("OmissionFinding", {
  kind: { const: "omission" },
  from: about(SECOND, "First UNIX second of the largest stall."),
  until: about(SECOND, "Last UNIX second of the range."),
  stalls: list(OMITTED, "When the load generator waited, most requests first; at most 50."),
  count: about(WHOLE, "Requests that were recorded in the whole range."),
  p95: about(NUMBER_OR_NULL, "95th percentile as recorded, in seconds."),
  p95AtLeast: about(
    NOT_NEGATIVE,
    "The same at least, if every request had been sent when it was due.",
  ),
  p99: about(NUMBER_OR_NULL, "99th percentile as recorded, in seconds."),
  p99AtLeast: about(NOT_NEGATIVE, "The same at least."),
});

export type OmissionFinding = Static<typeof OMISSION>;

const BUSY = named("BusyGenerator", {
  of: about(TEXT, "The tags of its measure besides `role`, such as `host gen-1`."),
  seconds: about(WHOLE, "How long its CPU was above 90 %."),
  percent: about(NOT_NEGATIVE, "The most."),
});

export type BusyGenerator = Static<typeof BUSY>;

const GENERATOR = named("GeneratorFinding", {
  kind: { const: "generator" },
  from: about(SECOND, "First UNIX second."),
  until: about(SECOND, "Last UNIX second."),
  busy: list(BUSY, "Load generators with a busy CPU, longest first; at most 20."),
  droppedIterations: about(WHOLE, "Iterations that k6 dropped as no virtual user was free."),
  iterations: about(WHOLE, "Iterations that k6 completed."),
});

export type GeneratorFinding = Static<typeof GENERATOR>;

const QUALITY_FINDING = about(
  named("QualityFinding", { kind: { const: "quality" }, ...REMARK }),
  "Limitations of the anomalies.",
);

const CAUSE = named("IncidentCause", {
  kind: about(
    choice(["event", "measure", "silence"]),
    "An event shortly before; a measure of a host that moved; a host that went silent.",
  ),
  secondsBefore: about(NUMBER, "Seconds before the incident; negative if after it began."),
  text: about(TEXT, "Such as `db-1 cpu.usage_active 39 to 93 %, 2 s before`."),
});

export type IncidentCause = Static<typeof CAUSE>;

const MOVED = named("MovedMeasure", {
  name: about(TEXT, "Of the measure."),
  tags: { type: "object", additionalProperties: TEXT },
  text: about(TEXT, "Such as `db-1 cpu.usage_active 39 to 93 %, 2 s before`."),
});

export type MovedMeasure = Static<typeof MOVED>;

const INCIDENT = named("Incident", {
  kind: { const: "incident" },
  from: about(SECOND, "First UNIX second."),
  until: about(SECOND, "Last UNIX second; of what lasts, of its first five minutes or of the run."),
  findings: list(
    { oneOf: [STEP, BURST, FAILING, DROP, DRIFT, OMISSION, GENERATOR] },
    "What happened, then its symptoms.",
  ),
  causes: list(CAUSE, "What is known of its cause, strongest first; at most two."),
  moved: optional(
    list(MOVED),
    "Measures of hosts that moved as it began, strongest first, at most 8; absent if none did.",
  ),
});

/** Findings that overlap or touch in time and share endpoints. */
export type Incident = Static<typeof INCIDENT>;

/** Of `GET /Api/LoadTests/{id}/Findings`. */
export const FINDINGS = list({ oneOf: [INCIDENT, QUALITY_FINDING] });

export type Anomaly =
  | StepFinding
  | BurstFinding
  | FailingFinding
  | DropFinding
  | DriftFinding
  | OmissionFinding
  | GeneratorFinding;

const LIMITED = about(
  named("Limited", { value: NOT_NEGATIVE, low: NOT_NEGATIVE, high: NOT_NEGATIVE }),
  "A value with its 95 % confidence limits.",
);

export type Limited = Static<typeof LIMITED>;

/** Of `GET /Api/LoadTests/{id}/Capacity`. */
export const CAPACITY = named("Capacity", {
  loadUnit: about(
    choice(["users", "rate"]),
    "What load is: active users, or requests per second if users are not recorded.",
  ),
  levels: list(
    object({
      load: NOT_NEGATIVE,
      reqPerSec: NOT_NEGATIVE,
      p95: about(
        NUMBER_OR_NULL,
        "In seconds; `null` if not known, or of fewer than 20 requests per window.",
      ),
    }),
    "Load levels, ascending.",
  ),
  isLoadVaried: about(
    FLAG,
    "Whether the load varied enough to find limits: 5 levels, the largest twice the smallest.",
  ),
  quality: QUALITY,
  peak: optional(
    object({
      load: about(LIMITED, "Least users that reach 95 % of the largest throughput."),
      reqPerSec: about(LIMITED, "The largest throughput."),
      law: about(
        object({
          secondsOfOne: NOT_NEGATIVE,
          reqPerSecMax: NOT_NEGATIVE,
          coherency: NOT_NEGATIVE,
          sharpness: WHOLE,
        }),
        "The fitted law: N / ((secondsOfOne ^ sharpness + (N / reqPerSecMax) ^ sharpness) ^ (1 / sharpness) + " +
          "coherency * N ^ 2) requests per second at N users.",
      ),
    }),
    "Where throughput stops to grow; absent if it grew up to the largest load, or if the law does not fit.",
  ),
  p95Doubled: optional(
    object({ load: NOT_NEGATIVE, p95Before: NOT_NEGATIVE, p95After: NOT_NEGATIVE }),
    "Load at which the 95th percentile is twice that of the lowest loads; absent if none is.",
  ),
});

export type CapacityJson = Static<typeof CAPACITY>;
