import { ENDPOINT, NUMBER, NUMBER_OR_NULL, QUALITY, ROLE, SECOND, TEXT, WHOLE } from "./parts.ts";
import { about, choice, list, named, object, optional, type Static } from "./schema.ts";
import { MEASURE_IDENTITY } from "./measures.ts";

/** Named as in `Figures`. */
export const TREND_FIGURES = ["count", "errRate", "avgLoadTime", "p50", "p95", "p99"] as const;

export type TrendFigure = (typeof TREND_FIGURES)[number];

const FIGURE = list(
  { ...NUMBER_OR_NULL, minimum: 0 },
  "As in the summary, for each of `loadTests`; `null` if it has no requests.",
);

const VALUES = {
  count: FIGURE,
  errRate: FIGURE,
  avgLoadTime: FIGURE,
  p50: FIGURE,
  p95: FIGURE,
  p99: FIGURE,
} as const satisfies Record<TrendFigure, typeof FIGURE>;

export const VERDICT_OF_THRESHOLDS = optional(
  choice(["passed", "failed"]),
  "Of the thresholds of its name when it was finished; absent if not checked.",
);

const LOAD_TEST = object({
  id: TEXT,
  name: TEXT,
  startedAt: about(SECOND, "UNIX second of the first request."),
  quality: QUALITY,
  verdict: VERDICT_OF_THRESHOLDS,
});

export type TrendLoadTest = Static<typeof LOAD_TEST>;

const CHANGED_WITH = about(TEXT, "The load test with which the change began.");

const LEVELS = {
  loadTestsBefore: about(WHOLE, "Number of load tests at the level before."),
  loadTestsAfter: about(
    WHOLE,
    "Number of load tests at the level after, at least 2; 2 may be outliers.",
  ),
  before: about(NUMBER, "Mean of the level before."),
  after: about(NUMBER, "Mean of the level after."),
  chance: about(NUMBER, "Probability of a difference this large by noise alone."),
} as const;

export const TREND_CHANGE = object({
  loadTestId: CHANGED_WITH,
  figure: choice(TREND_FIGURES),
  ...LEVELS,
  label: optional(TEXT, "Absent for all endpoints together."),
  hash: optional(ENDPOINT.hash),
  change: optional(
    NUMBER,
    "Relative change: 0.1 means 10 % more; for `errRate`, the difference. Absent if the level " +
      "before was 0.",
  ),
});

export type TrendChange = Static<typeof TREND_CHANGE>;

const ENDPOINT_TREND = { ...ENDPOINT, ...VALUES, role: optional(ROLE) } as const;

export const TREND_CSV = {
  item: object({ loadTestId: list(TEXT), startedAt: list(SECOND), ...ENDPOINT_TREND }),
  points: "loadTestId",
} as const;

const MEASURED = list(NUMBER_OR_NULL, "For each of `loadTests`; `null` if it has no value.");

const MEASURE_TREND = named("MeasureTrend", {
  ...MEASURE_IDENTITY,
  endpoint: optional(object(ENDPOINT)),
  count: about(MEASURED, "Values of each of `loadTests`; `null`: none."),
  mean: optional(MEASURED, "Of a rate, the share of true values; of counters there is none."),
  rate: optional(MEASURED, "Of counters, per second."),
  p50: optional(MEASURED),
  p95: optional(MEASURED),
  p99: optional(MEASURED),
  max: optional(MEASURED, "Of gauges."),
  changes: list(
    object({
      loadTestId: CHANGED_WITH,
      statistic: choice(["mean", "rate", "p50", "p95", "p99", "max"]),
      ...LEVELS,
      verdict: about(
        choice(["worse", "better", "changed"]),
        "`changed`: it is not known which direction is worse.",
      ),
      change: optional(NUMBER, "Relative; of a share, the difference."),
    }),
    "Latest first.",
  ),
});

export type MeasureTrend = Static<typeof MEASURE_TREND>;

/** Of `GET /Api/Trend`. */
export const TREND = object({
  loadTests: list(LOAD_TEST, "By start time, latest last."),
  leftOut: object({
    loadTests: about(WHOLE, "Earlier load tests of the series."),
    endpoints: about(WHOLE, "Number of endpoints with fewer requests, or a lower bound of it."),
  }),
  changes: list(TREND_CHANGE, "Latest first."),
  overall: object(VALUES),
  endpoints: list(object(ENDPOINT_TREND)),
  since: optional(TEXT, "The load test at which the series starts: `since`, or the baseline."),
  baseline: optional(TEXT, "The baseline of the name, even if ignored."),
  measures: optional(
    list(MEASURE_TREND),
    "Those of `measure` that any of `loadTests` has; absent if not asked for.",
  ),
});

export type Trend = Static<typeof TREND>;

/** One value for each load test; `null` without a request. */
export type TrendValues = Trend["overall"];

export type EndpointTrend = Trend["endpoints"][number];
