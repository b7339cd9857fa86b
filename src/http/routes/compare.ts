import type {
  CompareQuery,
  LoadTestComparison,
} from "../../analysis/compare/compare-load-tests.ts";
import { COMPARED_FIGURES, VERDICTS } from "../../analysis/compare/compare-judge.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import type { Parameter, ParameterValues } from "../request/parameters.ts";
import { type Route, jsonResponse } from "../route.ts";
import { QUALITY, ROLE, WHOLE_CONTENTS } from "../../api/parts.ts";
import {
  FILTER,
  FROM,
  HASH,
  HASHES,
  LOAD_TEST_IN_PATH,
  SKIP_END,
  SKIP_START,
  UNTIL,
  checkSelection,
  rangeOf,
  selectionOf,
} from "../schemas/selection.ts";
import type { JsonSchema } from "../../api/schema.ts";

const BASE: Parameter = {
  name: "base",
  description: "The load test that is compared with.",
  required: true,
  schema: { type: "string", minLength: 1 },
  example: "1848363530240",
};

const BASE_FROM: Parameter = {
  ...FROM,
  name: "baseFrom",
  description: "The same as `from`, of the load test that is compared with.",
};

const BASE_UNTIL: Parameter = {
  ...UNTIL,
  name: "baseUntil",
  description: "The same as `until`, of the load test that is compared with.",
};

const NUMBER = { type: "number" };
const WHOLE = { type: "integer", minimum: 0 };

const LIMITS = {
  low: { ...NUMBER, description: "Lower limit of the true change." },
  high: { ...NUMBER, description: "Upper limit of the true change." },
  isSignificant: { type: "boolean", description: "Whether noise does not explain the change." },
};

function comparison(title: string, unit: string, change: string): JsonSchema {
  return {
    title,
    type: "object",
    additionalProperties: false,
    description: `${unit} Members that do not exist or that the data do not tell are absent.`,
    properties: {
      base: { ...NUMBER, minimum: 0, description: "Of the load test that is compared with." },
      value: { ...NUMBER, minimum: 0, description: "Of this load test." },
      change: { ...NUMBER, description: change },
      ...LIMITS,
    },
  };
}

const SHIFT: JsonSchema = {
  title: "Shift",
  type: "object",
  additionalProperties: false,
  description:
    "How far response times have moved as a whole: the average of their logarithms, and over several " +
    "endpoints that of each of them. Members that the data do not tell are absent.",
  properties: { change: { ...NUMBER, description: "0.1 where they grew by 10 %." }, ...LIMITS },
};
const SHARE = comparison(
  "ComparedShare",
  "Failed requests by all requests.",
  "`value` minus `base`.",
);
const TIME = comparison("ComparedTime", "Seconds.", "0.1 where `value` is 10 % more than `base`.");

const ROW: Readonly<Record<string, JsonSchema>> = {
  verdict: {
    type: "string",
    enum: [...VERDICTS],
    description:
      "`unchanged`: a shift of 5 % or more is excluded. `inconclusive`: neither that nor a change is sure. " +
      "`tooFew`, `tooShort`: too few requests, or too little time, to judge.",
  },
  count: {
    type: "object",
    required: ["base", "value"],
    additionalProperties: false,
    properties: { base: WHOLE, value: WHOLE },
  },
  shift: SHIFT,
  ...Object.fromEntries(
    COMPARED_FIGURES.map((figure) => [figure, figure === "errRate" ? SHARE : TIME]),
  ),
};
const ENDPOINT = { hash: { type: "string", pattern: "^[0-9a-f]{40}$" }, label: { type: "string" } };

function row(
  further: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const properties = { ...further, ...ROW };
  return {
    type: "object",
    required: Object.keys(properties),
    additionalProperties: false,
    properties: { ...properties, ...optional },
  };
}

const SCHEMA: JsonSchema = {
  type: "object",
  required: ["overall", ...Object.keys(WHOLE_CONTENTS), "endpoints", "quality"],
  additionalProperties: false,
  properties: {
    overall: row({}),
    ...WHOLE_CONTENTS,
    endpoints: { type: "array", items: row(ENDPOINT, { role: ROLE }) },
    quality: {
      type: "object",
      description: "Of the load test that is compared with, and of this one.",
      required: ["base", "value"],
      additionalProperties: false,
      properties: { base: QUALITY, value: QUALITY },
    },
  },
};

/** `GET /Api/LoadTests/{id}/Compare`. */
export function createCompareRoute(
  compare: (query: CompareQuery) => Promise<LoadTestComparison>,
): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Compare",
    operationId: "compareLoadTests",
    summary: "What differs from another load test, by endpoint and overall",
    description:
      "Holds counts, failures and response times against those of another load test, and says of " +
      "each endpoint whether it became slower or faster by more than noise explains; worst first.",
    scope: "read",
    parameters: [
      LOAD_TEST_IN_PATH,
      BASE,
      FILTER,
      HASH,
      HASHES,
      FROM,
      UNTIL,
      BASE_FROM,
      BASE_UNTIL,
      SKIP_START,
      SKIP_END,
    ],
    check: (values) => [...checkSelection(values), ...checkBaseRange(values)],
    madeOf: (values) => ({ loadTestIds: [values.get("base") ?? "", values.get("id") ?? ""] }),
    mediaType: "application/json",
    schema: SCHEMA,
    errors: [
      "bad-parameter",
      "unknown-load-test",
      "too-many-endpoints",
      "sum-too-large",
      "damaged-store",
    ],
    async handle(values) {
      const both = {
        selection: selectionOf(values) ?? ALL_ENDPOINTS,
        skipStartSeconds: Number(values.get("skipStart") ?? 0),
        skipEndSeconds: Number(values.get("skipEnd") ?? 0),
      };
      const range = rangeOf(values);
      const answer = await compare({
        base: { ...both, loadTestId: values.get("base") ?? "", range: rangeOf(ofBase(values)) },
        later: { ...both, loadTestId: values.get("id") ?? "", range },
      });
      return jsonResponse(answer, { isKept: true });
    },
  };
}

function ofBase(values: ParameterValues): ParameterValues {
  const [from, until] = [values.get("baseFrom"), values.get("baseUntil")];
  return new Map([
    ...(from === undefined ? [] : [["from", from] as const]),
    ...(until === undefined ? [] : [["until", until] as const]),
  ]);
}

function checkBaseRange(values: ParameterValues): readonly ParameterComplaint[] {
  return checkSelection(ofBase(values)).map(({ detail }) => ({
    parameter: "baseUntil",
    detail: detail.replace("until:", "baseUntil:").replace("than from", "than baseFrom"),
  }));
}
