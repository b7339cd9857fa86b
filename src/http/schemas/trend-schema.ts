import { TREND_FIGURES } from "../../analysis/trend/trend-figures.ts";
import { QUALITY, ROLE } from "./whole-schema.ts";
import type { JsonSchema } from "../json-schema.ts";

const WHOLE = { type: "integer", minimum: 0 };
const NUMBER = { type: "number" };
const HASH = { type: "string", pattern: "^[0-9a-f]{40}$" };
const LABEL = { type: "string" };

function object(
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    type: "object",
    required: Object.keys(required),
    additionalProperties: false,
    properties: { ...required, ...optional },
  };
}

function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

const VALUES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  TREND_FIGURES.map((figure) => [
    figure,
    {
      ...list({ type: ["number", "null"], minimum: 0 }),
      description: "As in the summary of each of `loadTests`; `null` where it has no request.",
    },
  ]),
);

const LOAD_TEST = object({
  id: { type: "string" },
  name: { type: "string" },
  startedAt: { ...WHOLE, description: "UNIX second of the first request." },
  quality: QUALITY,
});

const CHANGE = object(
  {
    loadTestId: { type: "string", description: "The load test that brought it." },
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
    label: { ...LABEL, description: "Absent where it is all endpoints as one." },
    hash: HASH,
    change: {
      ...NUMBER,
      description: "0.1 where it grew by 10 %; of `errRate` the difference. Absent where it was 0.",
    },
  },
);

/** Of `GET /Api/Trend`. */
export const TREND_SCHEMA: JsonSchema = object(
  {
    loadTests: { ...list(LOAD_TEST), description: "By their start, the latest last." },
    leftOut: object({
      loadTests: { ...WHOLE, description: "Load tests of the series before these." },
      endpoints: { ...WHOLE, description: "Endpoints with fewer requests: at least so many." },
    }),
    changes: { ...list(CHANGE), description: "The latest first." },
    overall: object(VALUES),
    endpoints: list(object({ label: LABEL, hash: HASH, ...VALUES }, { role: ROLE })),
  },
  {
    since: {
      type: "string",
      description:
        "The load test that they begin at because somebody said so: `since`, or the baseline.",
    },
    baseline: { type: "string", description: "The pinned baseline of the name, also if ignored." },
  },
);
