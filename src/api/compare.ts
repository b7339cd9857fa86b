import { WORSE_DIRECTIONS } from "../model/measures/worse-direction.ts";
import { EVENT, MEASURE_IDENTITY as IDENTITY } from "./measures.ts";
import {
  ENDPOINT,
  FLAG,
  NOT_NEGATIVE,
  NUMBER,
  QUALITY,
  ROLE,
  SECOND,
  TEXT,
  WHOLE,
  WHOLE_CONTENTS,
} from "./parts.ts";
import {
  about,
  choice,
  type JsonSchema,
  list,
  named,
  object,
  optional,
  type Static,
  type StaticMembers,
} from "./schema.ts";

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

const LIMITS = {
  low: optional(NUMBER, "Lower confidence limit of the change."),
  high: optional(NUMBER, "Upper confidence limit of the change."),
  isSignificant: optional(FLAG, "Whether the change is larger than noise explains."),
  atMost: optional(
    NUMBER,
    "Of the shift and p95: a larger change, up or down, is excluded with an error probability of 5 % each.",
  ),
} as const;

const RUN_NOISE = about(
  named("RunNoise", {
    loadTests: about(WHOLE, "Number of earlier runs that it rests on."),
    level: about(NUMBER, "The level of the base: its average over the earlier runs that share it."),
    spread: about(
      NUMBER,
      "Standard deviation between runs: 0.1 for 10 %; of shares the difference.",
    ),
    standardError: about(
      NUMBER,
      "Of the change, as a natural logarithm; of shares as the arcsine of the root.",
    ),
    degreesOfFreedom: WHOLE,
    chance: about(
      NUMBER,
      "Probability that noise between runs alone takes a run so far from `level`.",
    ),
    detectable: optional(NUMBER, "Growth that is significant in 9 of 10 comparisons."),
  }),
  "Noise between runs of the same build. Absent if unknown.",
);

export type RunNoise = Static<typeof RUN_NOISE>;

function comparison(title: string, unit: string, change: string) {
  const description = `${unit} Members that do not exist or that the data do not tell are absent.`;
  const schema = named(title, {
    base: optional(NOT_NEGATIVE, "Value of the base load test."),
    value: optional(NOT_NEGATIVE, "Value of this load test."),
    change: optional(NUMBER, change),
    ...LIMITS,
    betweenRuns: optional(RUN_NOISE),
  });
  return about(schema, description);
}

const SHIFT = about(
  named("Shift", {
    change: optional(NUMBER, "Relative change: 0.1 means 10 % more."),
    ...LIMITS,
  }),
  "Shift of all response times: the mean of their logarithms; over several endpoints, the mean " +
    "of their shifts. Unknown members are absent.",
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
  verdict: about(
    choice(VERDICTS),
    "`unchanged`: a shift of 5 % or more, and one of p95 of 25 %, is ruled out. `inconclusive`: neither a change nor its " +
      "absence is certain. `tooFew`, `tooShort`: too few requests, or too little time, for a " +
      "verdict.",
  ),
  count: object({ base: WHOLE, value: WHOLE }),
  shift: SHIFT,
  errRate: SHARE,
  avgLoadTime: TIME,
  p50: TIME,
  p95: TIME,
  p99: TIME,
} as const satisfies Record<ComparedFigure | "verdict" | "count" | "shift", JsonSchema>;

export type ComparedRow = StaticMembers<typeof ROW>;

const COMPARED_ENDPOINT = object({ ...ENDPOINT, ...ROW, role: optional(ROLE) });

export type ComparedEndpoint = Static<typeof COMPARED_ENDPOINT>;

const BOTH_QUALITIES = about(
  object({ base: QUALITY, value: QUALITY }),
  "Limitations of the figures of the base load test and of this one.",
);

export type ComparedQuality = Static<typeof BOTH_QUALITIES>;

const NOISE = named("ComparedNoise", {
  kind: about(
    choice(["within", "between"]),
    "`between`: changes are also judged by the noise between runs. `within`: that is unknown, as there are too " +
      "few earlier runs; only noise within the two runs is considered.",
  ),
  earlierRuns: about(
    object({ name: TEXT, loadTests: WHOLE }),
    "The name of the base, and how many earlier runs with it were read.",
  ),
  message: about(TEXT, "A sentence for readers."),
});

const MEASURED = about(
  named("ComparedValue", {
    base: optional(NUMBER),
    value: optional(NUMBER),
    change: optional(NUMBER, "Relative; of a share, the difference."),
    ...LIMITS,
    betweenRuns: optional(RUN_NOISE),
  }),
  "In the unit of the measure. Members that do not exist or that the data do not tell are absent.",
);

const MEASURE_VERDICTS = [
  "worse",
  "changed",
  "inconclusive",
  "unchanged",
  "better",
  "new",
  "gone",
] as const;

export type MeasureVerdict = (typeof MEASURE_VERDICTS)[number];

const WORSE = about(
  choice(WORSE_DIRECTIONS),
  "Which values are worse, by name and unit; `either` where that is not known.",
);

const MEASURE_VERDICT = about(
  choice(MEASURE_VERDICTS),
  "By changes of 5 % or more, of shares by any, beyond noise between runs; where that is unknown, beyond noise within the two. " +
    "`changed`: it is not known which direction is worse. `new`, `gone`: only one side has values.",
);

const COMPARED_MEASURE = named("ComparedMeasure", {
  ...IDENTITY,
  endpoint: optional(object(ENDPOINT)),
  worse: WORSE,
  verdict: MEASURE_VERDICT,
  reason: optional(TEXT, "Why it is inconclusive, if noise is not known."),
  count: object({ base: WHOLE, value: WHOLE }),
  mean: optional(MEASURED, "Of a rate, the share of true values; of counters there is none."),
  rate: optional(MEASURED, "Of counters, per second."),
  p50: optional(MEASURED),
  p95: optional(MEASURED),
  p99: optional(MEASURED),
  max: optional(MEASURED, "Of gauges. Without a verdict unless earlier runs show its noise."),
});

export type ComparedMeasure = Static<typeof COMPARED_MEASURE>;

/** Of `GET /Api/LoadTests/{id}/Compare`. */
export const COMPARISON = object({
  overall: object(ROW),
  ...WHOLE_CONTENTS,
  endpoints: list(COMPARED_ENDPOINT),
  measures: optional(
    list(COMPARED_MEASURE),
    "Each measure of the whole runs, or those of `measure`, whichever endpoints are selected; worst first. " +
      "Absent if neither run has any.",
  ),
  quality: BOTH_QUALITIES,
  noise: optional(NOISE),
});

export type ComparedNoise = Static<typeof NOISE>;

const CELL_FIGURE = named("CellFigure", {
  value: optional(NOT_NEGATIVE, "Absent if unknown; a shift has none."),
  change: optional(NUMBER, "From the base: as in a comparison of the two."),
  isSignificant: LIMITS.isSignificant,
});

const CELL = named("ComparedCell", {
  count: WHOLE,
  verdict: optional(ROW.verdict, "Of a comparison of the two; absent for the base."),
  shift: CELL_FIGURE,
  errRate: CELL_FIGURE,
  avgLoadTime: CELL_FIGURE,
  p50: CELL_FIGURE,
  p95: CELL_FIGURE,
  p99: CELL_FIGURE,
});

export type ComparedCell = Static<typeof CELL>;

const EACH_RUN = "For each of `loadTests`.";
const CELLS = list(CELL, EACH_RUN);

const VALUE = named("MeasureCellFigure", {
  value: optional(NUMBER, "In the unit of the measure; absent if unknown."),
  change: optional(NUMBER, "From the base: as in a comparison of the two."),
  isSignificant: LIMITS.isSignificant,
});

const MEASURE_CELL = named("ComparedMeasureCell", {
  count: WHOLE,
  verdict: optional(MEASURE_VERDICT, "Absent for the base."),
  mean: optional(VALUE),
  rate: optional(VALUE),
  p50: optional(VALUE),
  p95: optional(VALUE),
  p99: optional(VALUE),
  max: optional(VALUE),
});

export type ComparedMeasureCell = Static<typeof MEASURE_CELL>;

const MEASURE_ROW = object({
  ...IDENTITY,
  worse: WORSE,
  cells: list(MEASURE_CELL, EACH_RUN),
});

export type ComparedMeasureRow = Static<typeof MEASURE_ROW>;

/** Of `GET /Api/Compare`. */
export const COMPARED_RUNS = object({
  loadTests: list(
    named("ComparedRun", {
      id: TEXT,
      name: TEXT,
      startedAt: SECOND,
      until: optional(SECOND, "UNIX second of the last request."),
      value: optional(TEXT, "Of the property `per`."),
      reason: optional(TEXT, "The first line of its description, at most 100 characters."),
      events: optional(list(EVENT), "Its events and notes, by time: the first 100."),
      ...WHOLE_CONTENTS,
      quality: QUALITY,
      noise: optional(NOISE, "That its comparison with the base considers; absent for the base."),
    }),
    "The base first.",
  ),
  overall: CELLS,
  endpoints: list(object({ ...ENDPOINT, role: optional(ROLE), cells: CELLS }), "Worst first."),
  measures: optional(
    list(MEASURE_ROW),
    "Each measure of the whole runs, worst first. Absent if no run has any.",
  ),
  leftOut: object({
    endpoints: about(WHOLE, "Beyond `limit`."),
    measures: optional(WHOLE, "Beyond `limit`."),
    loadTests: about(WHOLE, "Runs of the name without the property `per`, or beyond `last`."),
  }),
  errorProbability: about(
    object({ each: NUMBER, any: NUMBER }),
    "`each`: that chance alone makes any figure of `overall` significant in one comparison; the same again for all endpoints together. " +
      "`any`: the same for all comparisons of the response together, at most.",
  ),
});

export type ComparedRuns = Static<typeof COMPARED_RUNS>;

export type LoadTestComparison = Static<typeof COMPARISON>;
