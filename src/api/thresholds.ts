import { TEXT } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const SEVERITIES = ["fail", "warn"] as const;

export type Severity = (typeof SEVERITIES)[number];

/** What a failure means. */
export const THRESHOLD_POLICY = {
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
