import { ENDPOINT, QUALITY, ROLE, WHOLE, WHOLE_CONTENTS } from "./parts.ts";
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
  low: { ...NUMBER, description: "Lower limit of the true change." },
  high: { ...NUMBER, description: "Upper limit of the true change." },
  isSignificant: { type: "boolean", description: "Whether noise does not explain the change." },
} as const;

function comparison(title: string, unit: string, change: string) {
  const description = `${unit} Members that do not exist or that the data do not tell are absent.`;
  const members = {
    base: { ...NUMBER, minimum: 0, description: "Of the load test that is compared with." },
    value: { ...NUMBER, minimum: 0, description: "Of this load test." },
    change: { ...NUMBER, description: change },
    ...LIMITS,
  } as const;
  return object({}, members, { title, description });
}

const SHIFT = object(
  {},
  { change: { ...NUMBER, description: "0.1 where they grew by 10 %." }, ...LIMITS },
  {
    title: "Shift",
    description:
      "How far response times have moved as a whole: the average of their logarithms, and over several " +
      "endpoints that of each of them. Members that the data do not tell are absent.",
  },
);
const SHARE = comparison(
  "ComparedShare",
  "Failed requests by all requests.",
  "`value` minus `base`.",
);
const TIME = comparison("ComparedTime", "Seconds.", "0.1 where `value` is 10 % more than `base`.");

export type Comparison = Static<typeof TIME>;

const ROW = {
  verdict: {
    type: "string",
    enum: VERDICTS,
    description:
      "`unchanged`: a shift of 5 % or more is excluded. `inconclusive`: neither that nor a change is sure. " +
      "`tooFew`, `tooShort`: too few requests, or too little time, to judge.",
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
  { description: "Of the load test that is compared with, and of this one." },
);

export type ComparedQuality = Static<typeof BOTH_QUALITIES>;

/** Of `GET /Api/LoadTests/{id}/Compare`. */
export const COMPARISON = object({
  overall: object(ROW),
  ...WHOLE_CONTENTS,
  endpoints: list(COMPARED_ENDPOINT),
  quality: BOTH_QUALITIES,
});

export type LoadTestComparison = Static<typeof COMPARISON>;
