import { TEXT } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const SEVERITIES = ["fail", "warn"] as const;

export type Severity = (typeof SEVERITIES)[number];

/** What a failure means. */
const THRESHOLD_POLICY = {
  severity: {
    type: "string",
    enum: SEVERITIES,
    description: "`warn` reports a failure without failing the check. `fail` by default.",
  },
  owner: { ...TEXT, description: "Who takes care of a failure." },
  acceptedUntil: {
    type: "string",
    format: "date",
    description: "A failure passes up to and including this day, in UTC. Needs `reason`.",
  },
  reason: { ...TEXT, description: "Why a failure is accepted." },
} as const;

/** One entry of a file of thresholds. */
export const THRESHOLD = object(
  {
    failIf: list(
      TEXT,
      "Expressions as `--fail-if` takes them, such as `p95 > 500ms` or `p95 grows > 10%`: docs/check.md.",
    ),
  },
  {
    filter: {
      ...TEXT,
      description:
        "Checks each endpoint whose label contains this text, case-sensitive. Without it an expression is " +
        "about the label it starts with, or about all endpoints together.",
    },
    ...THRESHOLD_POLICY,
  },
  { title: "Threshold" },
);

export type ThresholdJson = Static<typeof THRESHOLD>;

export const THRESHOLDS = object(
  { thresholds: list(THRESHOLD) },
  {},
  { title: "Thresholds", description: "Thresholds that `tachograph check` reads: docs/check.md." },
);

export type ThresholdsJson = Static<typeof THRESHOLDS>;

export const LIMIT_OUTCOMES = [
  "kept",
  "broken",
  "unmeasured",
  "notEvaluated",
  "inconclusive",
  "unjudged",
] as const;

const NUMBER = { type: "number" } as const;

export type CheckedThresholdJson = Static<typeof CHECKED_THRESHOLD>;

const CHECKED_THRESHOLD = object(
  {
    failIf: { ...TEXT, description: "The expression, with the label if a filter matched it." },
    about: {
      type: "string",
      enum: ["value", "growth", "change"],
      description:
        "The figure itself, its growth since `against`, or a change of its level within the history.",
    },
    figure: { ...TEXT, description: "Such as `avg`, `p95` or `errors`." },
    unit: { type: "string", enum: ["seconds", "share", "count", "perSecond"] },
    outcome: {
      type: "string",
      enum: LIMIT_OUTCOMES,
      description:
        "`unmeasured`: there was no request. `notEvaluated`: the figure is unknown. `inconclusive`: noise " +
        "may explain the growth. `unjudged`: too little data.",
    },
    fails: { type: "boolean", description: "Whether it fails the run." },
  },
  {
    measured: {
      ...NUMBER,
      description: "In `unit`; growth of 0.1 is 10 %, of `errors` 10 percentage points.",
    },
    base: { ...NUMBER, description: "The figure of `against`; times in seconds." },
    value: { ...NUMBER, description: "The figure that has grown; times in seconds." },
    isAccepted: { type: "boolean", description: "Whether `acceptedUntil` is in the future." },
    ...THRESHOLD_POLICY,
  },
  { title: "CheckedThreshold" },
);

/** Of `GET /Api/LoadTests/{id}/Verdict`. */
export const VERDICT = object(
  {
    name: { ...TEXT, description: "Name of the load test: its thresholds were checked." },
    against: {
      type: ["string", "null"],
      description: "The pinned baseline, the base of growth; `null` without another load test.",
    },
    fails: { type: "boolean", description: "Whether a threshold fails the run." },
    thresholds: list(CHECKED_THRESHOLD, "Empty if none are kept for the name."),
  },
  {},
  { title: "Verdict" },
);

export type VerdictJson = Static<typeof VERDICT>;
