import { ENDPOINT, QUALITY, ROLE, TEXT, WHOLE, WHOLE_CONTENTS } from "./parts.ts";
import { type JsonSchema, list, object, type Static, type StaticMembers } from "./schema.ts";

export const COMPARED_FIGURES = ["errRate", "avgLoadTime", "p50", "p95", "p99"] as const;

export type ComparedFigure = (typeof COMPARED_FIGURES)[number];

const VERDICTS = [
  "slower",
  "faster",
  "unchanged",
  "inconclusive",
  "tooFew",
  "tooShort",
  "new",
  "gone",
] as const;

export type Verdict = (typeof VERDICTS)[number];

const NUMBER = { type: "number" } as const;

const LIMITS = {
  low: { ...NUMBER, description: "Lower confidence limit of the change." },
  high: { ...NUMBER, description: "Upper confidence limit of the change." },
  isSignificant: {
    type: "boolean",
    description: "Whether the change is larger than noise explains.",
  },
} as const;

const RUN_NOISE = object(
  {
    loadTests: { ...WHOLE, description: "Number of earlier runs that it rests on." },
    level: {
      ...NUMBER,
      description: "The level of the base: its average over the earlier runs that share it.",
    },
    spread: {
      ...NUMBER,
      description: "Standard deviation between runs: 0.1 for 10 %; of shares the difference.",
    },
    standardError: {
      ...NUMBER,
      description: "Of the change, as a natural logarithm; of shares as the arcsine of the root.",
    },
    degreesOfFreedom: WHOLE,
    chance: {
      ...NUMBER,
      description: "Probability that noise between runs alone takes a run so far from `level`.",
    },
    isBeyondNoiseWithin: {
      type: "boolean",
      description: "Whether noise within the two runs does not explain the change.",
    },
  },
  { detectable: { ...NUMBER, description: "Growth that is significant in 9 of 10 comparisons." } },
  { title: "RunNoise", description: "Noise between runs of the same build. Absent if unknown." },
);

export type RunNoise = Static<typeof RUN_NOISE>;

function comparison(title: string, unit: string, change: string) {
  const description = `${unit} Members that do not exist or that the data do not tell are absent.`;
  const members = {
    base: { ...NUMBER, minimum: 0, description: "Value of the base load test." },
    value: { ...NUMBER, minimum: 0, description: "Value of this load test." },
    change: { ...NUMBER, description: change },
    ...LIMITS,
    betweenRuns: RUN_NOISE,
  } as const;
  return object({}, members, { title, description });
}

const SHIFT = object(
  {},
  { change: { ...NUMBER, description: "Relative change: 0.1 means 10 % more." }, ...LIMITS },
  {
    title: "Shift",
    description:
      "Shift of all response times: the mean of their logarithms; over several endpoints, the mean " +
      "of their shifts. Unknown members are absent.",
  },
);
const SHARE = comparison(
  "ComparedShare",
  "Failed requests divided by all requests.",
  "`value` minus `base`.",
);
const TIME = comparison(
  "ComparedTime",
  "Seconds.",
  "Relative change: 0.1 means that `value` is 10 % higher than `base`.",
);

export type Comparison = Static<typeof TIME>;

const ROW = {
  verdict: {
    type: "string",
    enum: VERDICTS,
    description:
      "`unchanged`: a shift of 5 % or more is ruled out. `inconclusive`: neither a change nor its " +
      "absence is certain. `tooFew`, `tooShort`: too few requests, or too little time, for a " +
      "verdict.",
  },
  count: object({ base: WHOLE, value: WHOLE }),
  shift: SHIFT,
  errRate: SHARE,
  avgLoadTime: TIME,
  p50: TIME,
  p95: TIME,
  p99: TIME,
} as const satisfies Record<ComparedFigure | "verdict" | "count" | "shift", JsonSchema>;

export type ComparedRow = StaticMembers<typeof ROW>;

const COMPARED_ENDPOINT = object({ ...ENDPOINT, ...ROW }, { role: ROLE });

export type ComparedEndpoint = Static<typeof COMPARED_ENDPOINT>;

const BOTH_QUALITIES = object(
  { base: QUALITY, value: QUALITY },
  {},
  { description: "Limitations of the figures of the base load test and of this one." },
);

export type ComparedQuality = Static<typeof BOTH_QUALITIES>;

const NOISE = object(
  {
    of: {
      type: "string",
      enum: ["within", "between"],
      description:
        "`between`: changes are also judged by the noise between runs. `within`: that is unknown, as there are too " +
        "few earlier runs; only noise within the two runs is considered.",
    },
    earlierRuns: object(
      { name: TEXT, loadTests: WHOLE },
      {},
      { description: "The name of the base, and how many earlier runs with it were read." },
    ),
    message: { ...TEXT, description: "A sentence for readers." },
  },
  {},
  { title: "ComparedNoise" },
);

/** Of `GET /Api/LoadTests/{id}/Compare`. */
export const COMPARISON = object(
  {
    overall: object(ROW),
    ...WHOLE_CONTENTS,
    endpoints: list(COMPARED_ENDPOINT),
    quality: BOTH_QUALITIES,
  },
  { noise: NOISE },
);

export type ComparedNoise = Static<typeof NOISE>;

export type LoadTestComparison = Static<typeof COMPARISON>;
