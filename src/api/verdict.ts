import { TEXT } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";
import { THRESHOLD_POLICY } from "./thresholds.ts";

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
