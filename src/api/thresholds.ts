import { FLAG, NUMBER, SECOND, TEXT, TEXT_OR_NULL, WHOLE } from "./parts.ts";
import { about, choice, list, named, object, optional, type Static } from "./schema.ts";

const SEVERITIES = ["fail", "warn"] as const;

export type Severity = (typeof SEVERITIES)[number];

const THRESHOLD_POLICY = {
  severity: optional(
    choice(SEVERITIES),
    "`warn` reports a failure without failing the check. `fail` by default.",
  ),
  owner: optional(TEXT, "Who takes care of a failure."),
  acceptedUntil: optional(
    { ...TEXT, format: "date" },
    "A failure passes up to and including this day, in UTC. Needs `reason`.",
  ),
  reason: optional(TEXT, "Why a failure is accepted."),
  allowRejected: optional(
    TEXT,
    "Share of rows that may be unreadable, such as `0.1%`: up to it, figures are judged as if there were " +
      "none. 0 % by default.",
  ),
  better: optional(
    choice(["higher", "lower"]),
    "Which values of a measure are better: only changes for the worse fail. By default what its name and unit tell; otherwise both fail.",
  ),
  allowMissing: optional(FLAG, "Passes without a request or a value to judge, as in k6."),
} as const;

export const THRESHOLD = named("Threshold", {
  failIf: list(
    TEXT,
    "Expressions as `--fail-if` takes them, such as `p95 > 500ms` or `p95 grows > 10%`: docs/check.md.",
  ),
  ...THRESHOLD_POLICY,
});

export type ThresholdJson = Static<typeof THRESHOLD>;

export const MEASURE_PULL = named("MeasurePull", {
  prometheus: about(TEXT, "Address of a Prometheus that the server lists (`serve --prometheus`)."),
  queries: list(
    TEXT,
    "As `measures pull --query` takes them, such as `cpu=avg by (instance) (node_load1)`.",
  ),
  stepSeconds: optional({ ...WHOLE, minimum: 1 }, "Between two values. 1 by default."),
});

export type MeasurePullJson = Static<typeof MEASURE_PULL>;

export const THRESHOLDS = about(
  named("Thresholds", {
    thresholds: list(THRESHOLD),
    pull: optional(list(MEASURE_PULL), "Measures that a server pulls when a run of the name ends."),
  }),
  "Thresholds that `tachograph check` reads: docs/check.md.",
);

export type ThresholdsJson = Static<typeof THRESHOLDS>;

export const LIMIT_COMPARISONS = [">=", "<=", "==", ">", "<"] as const;

export const LIMIT_OUTCOMES = [
  "kept",
  "broken",
  "unmeasured",
  "notEvaluated",
  "inconclusive",
  "unjudged",
] as const;

/** A parsed expression. */
export const LIMIT_PARTS = {
  failIf: about(TEXT, "The expression, with the label if a pattern matched it."),
  figure: about(TEXT, "Such as `avg`, `p95` or `errors`."),
  unit: about(
    choice(["seconds", "share", "count", "perSecond"]),
    "`count` also stands for the unit of a measure.",
  ),
  comparison: about(
    choice(LIMIT_COMPARISONS),
    "Compares the figure with `bound`: the threshold is broken if this is true.",
  ),
  bound: about(NUMBER, "In `unit`; of growth and changes 0.1 is 10 %, of `errors` 10 points."),
  endpoint: optional(
    TEXT,
    "Label of the endpoint, or a pattern that matches none. Absent for all endpoints together.",
  ),
  measure: optional(TEXT, "Name of the measure. Absent for requests."),
  where: optional(TEXT, "The facets of the requests, as in the parameter `where`."),
} as const;

export type CheckedThresholdJson = Static<typeof CHECKED_THRESHOLD>;

const CHECKED_THRESHOLD = named("CheckedThreshold", {
  ...LIMIT_PARTS,
  kind: about(
    choice(["value", "growth", "change"]),
    "The figure itself, its growth since `against`, or a change of its level within the history.",
  ),
  outcome: about(
    choice(LIMIT_OUTCOMES),
    "`unmeasured`: there was no request. `notEvaluated`: the figure is unknown. `inconclusive`: noise " +
      "may explain the growth. `unjudged`: too little data.",
  ),
  fails: about(FLAG, "Whether it fails the run."),
  measured: optional(NUMBER, "In `unit`; growth of 0.1 is 10 %, of `errors` 10 percentage points."),
  possible: optional(
    object({ least: NUMBER, most: optional(NUMBER, "Absent without a limit.") }),
    "Present if the outcome depends on rows that could not be read, or on requests that were not sent: what `measured` may be; of a change the figure.",
  ),
  isOmitted: optional(
    FLAG,
    "Whether `possible` is due to requests that the load generator did not send while it waited, not to rows.",
  ),
  isShare: optional(
    FLAG,
    "Whether the measure is a share of true values, so that its growth in `measured` is in percentage points, as that of `errors`.",
  ),
  window: optional(
    object({ from: SECOND, until: SECOND, requests: WHOLE, failedRequests: WHOLE }),
    "Of a threshold over a window: the one of `measured`, from its first UNIX second until after its last; `requests` are the values of a measure.",
  ),
  base: optional(NUMBER, "The figure of `against`; times in seconds."),
  value: optional(NUMBER, "The figure that has grown; times in seconds."),
  isAccepted: optional(FLAG, "Whether `acceptedUntil` is in the future."),
  ...THRESHOLD_POLICY,
});

/** Of `GET /Api/LoadTests/{id}/Verdict`. */
export const VERDICT = named("Verdict", {
  name: about(TEXT, "Name of the load test: its thresholds were checked."),
  against: about(
    TEXT_OR_NULL,
    "The baseline, the base of growth; `null` without another load test, or if it is hidden.",
  ),
  isAgainstHidden: optional(FLAG, "Whether the baseline is a load test that a link does not open."),
  fails: about(FLAG, "Whether a threshold fails the run."),
  checked: about(NUMBER, "Number of checks; `each` is checked on each endpoint that it matches."),
  failed: about(NUMBER, "Number of checks that fail the run."),
  judged: about(
    NUMBER,
    "Number of checks with a verdict. The run has passed only if all have one.",
  ),
  thresholds: list(
    CHECKED_THRESHOLD,
    "The checks, in the order of the expressions; of more than 1,000 the worst. Of `each` the worst endpoint is the first. Empty if none are kept for the name.",
  ),
});

export type VerdictJson = Static<typeof VERDICT>;
