import { ENDPOINT, QUALITY, ROLE, SECOND, TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

/** Named as in `Figures`. */
export const TREND_FIGURES = ["count", "errRate", "avgLoadTime", "p50", "p95", "p99"] as const;

export type TrendFigure = (typeof TREND_FIGURES)[number];

const NUMBER = { type: "number" } as const;

const FIGURE = list(
  { type: ["number", "null"], minimum: 0 },
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

const LOAD_TEST = object(
  {
    id: TEXT,
    name: TEXT,
    startedAt: { ...SECOND, description: "UNIX second of the first request." },
    quality: QUALITY,
  },
  {
    verdict: {
      type: "string",
      enum: ["passed", "failed"],
      description: "Of the thresholds of its name when it was finished; absent if not checked.",
    },
  },
);

export type TrendLoadTest = Static<typeof LOAD_TEST>;

const CHANGE = object(
  {
    loadTestId: { ...TEXT, description: "The load test with which the change began." },
    figure: { type: "string", enum: TREND_FIGURES },
    loadTestsBefore: { ...WHOLE, description: "Number of load tests at the level before." },
    loadTestsAfter: {
      ...WHOLE,
      description: "Number of load tests at the level after, at least 2; 2 may be outliers.",
    },
    before: { ...NUMBER, description: "Mean of the level before." },
    after: { ...NUMBER, description: "Mean of the level after." },
    chance: { ...NUMBER, description: "Probability of a difference this large by noise alone." },
  },
  {
    label: { ...TEXT, description: "Absent for all endpoints together." },
    hash: ENDPOINT.hash,
    change: {
      ...NUMBER,
      description:
        "Relative change: 0.1 means 10 % more; for `errRate`, the difference. Absent if the level " +
        "before was 0.",
    },
  },
);

export type TrendChange = Static<typeof CHANGE>;

/** Of `GET /Api/Trend`. */
export const TREND = object(
  {
    loadTests: list(LOAD_TEST, "By start time, latest last."),
    leftOut: object({
      loadTests: { ...WHOLE, description: "Earlier load tests of the series." },
      endpoints: {
        ...WHOLE,
        description: "Number of endpoints with fewer requests, or a lower bound of it.",
      },
    }),
    changes: list(CHANGE, "Latest first."),
    overall: object(VALUES),
    endpoints: list(object({ ...ENDPOINT, ...VALUES }, { role: ROLE })),
  },
  {
    since: {
      ...TEXT,
      description: "The load test at which the series starts: `since`, or the baseline.",
    },
    baseline: { ...TEXT, description: "The pinned baseline of the name, even if ignored." },
  },
);

/** `null` where a load test has no requests. */
export type TrendJson = Static<typeof TREND>;
