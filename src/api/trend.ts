import { ENDPOINT, QUALITY, ROLE, SECOND, TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

/** Named as in `Figures`. */
export const TREND_FIGURES = ["count", "errRate", "avgLoadTime", "p50", "p95", "p99"] as const;

export type TrendFigure = (typeof TREND_FIGURES)[number];

const NUMBER = { type: "number" } as const;

const FIGURE = list(
  { type: ["number", "null"], minimum: 0 },
  "As in the summary of each of `loadTests`; `null` where it has no request.",
);

const VALUES = {
  count: FIGURE,
  errRate: FIGURE,
  avgLoadTime: FIGURE,
  p50: FIGURE,
  p95: FIGURE,
  p99: FIGURE,
} as const satisfies Record<TrendFigure, typeof FIGURE>;

const LOAD_TEST = object({
  id: TEXT,
  name: TEXT,
  startedAt: { ...SECOND, description: "UNIX second of the first request." },
  quality: QUALITY,
});

export type TrendLoadTest = Static<typeof LOAD_TEST>;

const CHANGE = object(
  {
    loadTestId: { ...TEXT, description: "The load test that brought it." },
    figure: { type: "string", enum: TREND_FIGURES },
    loadTestsBefore: { ...WHOLE, description: "How many load tests have the level before." },
    loadTestsAfter: {
      ...WHOLE,
      description: "How many have the level after; of 1 or 2, it may be an outlier.",
    },
    before: { ...NUMBER, description: "Average of the level before." },
    after: { ...NUMBER, description: "Average of the level after." },
    chance: { ...NUMBER, description: "That noise alone makes levels so different." },
  },
  {
    label: { ...TEXT, description: "Absent where it is all endpoints as one." },
    hash: ENDPOINT.hash,
    change: {
      ...NUMBER,
      description: "0.1 where it grew by 10 %; of `errRate` the difference. Absent where it was 0.",
    },
  },
);

export type TrendChange = Static<typeof CHANGE>;

/** Of `GET /Api/Trend`. */
export const TREND = object(
  {
    loadTests: list(LOAD_TEST, "By their start, the latest last."),
    leftOut: object({
      loadTests: { ...WHOLE, description: "Load tests of the series before these." },
      endpoints: {
        ...WHOLE,
        description: "Endpoints with fewer requests: their number, or a lower bound of it.",
      },
    }),
    changes: list(CHANGE, "The latest first."),
    overall: object(VALUES),
    endpoints: list(object({ ...ENDPOINT, ...VALUES }, { role: ROLE })),
  },
  {
    since: {
      ...TEXT,
      description: "The load test that was chosen to begin at: `since`, or the baseline.",
    },
    baseline: { ...TEXT, description: "The pinned baseline of the name, also if ignored." },
  },
);

/** `null` where a load test has no requests. */
export type TrendJson = Static<typeof TREND>;
