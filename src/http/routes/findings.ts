import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { BurstFinding } from "../../analysis/findings/read-burst.ts";
import type { Findings, FindingsQuery } from "../../analysis/findings/read-findings.ts";
import type { StepFinding } from "../../analysis/findings/read-step.ts";
import { type Route, jsonResponse } from "../route.ts";
import { REMARK } from "../../api/parts.ts";
import {
  checkSelection,
  FILTER,
  FROM,
  HASH,
  HASHES,
  LOAD_TEST_IN_PATH,
  loadTestInPath,
  rangeOf,
  selectionOf,
  UNTIL,
} from "../schemas/selection.ts";
import type { JsonSchema } from "../../api/schema.ts";

const SECOND = { type: "integer", minimum: 0 };
const SECONDS = { type: "number", minimum: 0 };
const ENDPOINTS = {
  type: "array",
  items: {
    title: "NamedEndpoint",
    type: "object",
    required: ["hash", "label"],
    additionalProperties: false,
    properties: {
      hash: { type: "string", pattern: "^[0-9a-f]{40}$" },
      label: { type: "string" },
    },
  },
};

const STEP: JsonSchema = {
  type: "object",
  required: ["kind", "at", "p95Before", "p95After", "endpoints"],
  additionalProperties: false,
  properties: {
    kind: { const: "step" },
    at: { ...SECOND, description: "First UNIX second after the step." },
    p95Before: { ...SECONDS, description: "95th percentile of the minute before, seconds." },
    p95After: { ...SECONDS, description: "95th percentile of the minute after, seconds." },
    backAt: { ...SECOND, description: "When it was over; absent where it held." },
    endpoints: { ...ENDPOINTS, description: "Those that became slower, the worst first." },
  },
};
const BURST: JsonSchema = {
  type: "object",
  required: ["kind", "from", "until", "errCount", "allErrCount", "endpoints"],
  additionalProperties: false,
  properties: {
    kind: { const: "burst" },
    from: { ...SECOND, description: "First UNIX second." },
    until: { ...SECOND, description: "Last UNIX second." },
    errCount: { ...SECOND, description: "Failed requests within." },
    allErrCount: { ...SECOND, description: "Failed requests of the whole range." },
    failure: {
      type: "object",
      description: "The kind that most of them are of, if there is one.",
      required: ["code", "message", "count"],
      additionalProperties: false,
      properties: { code: { type: "string" }, message: { type: "string" }, count: SECOND },
    },
    endpoints: { ...ENDPOINTS, description: "Those with failures within, the most first." },
  },
};

const QUALITY: JsonSchema = {
  type: "object",
  description: "What the findings cannot tell.",
  required: ["kind", ...Object.keys(REMARK)],
  additionalProperties: false,
  properties: { kind: { const: "quality" }, ...REMARK },
};

/** `GET /Api/LoadTests/{id}/Findings`. */
export function createFindingsRoute(
  readFindings: (query: FindingsQuery) => Promise<Findings>,
): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Findings",
    operationId: "getFindings",
    summary: "What stands out in a load test",
    description:
      "Returns the largest step of the 95th percentile and the time in which most failures lie, if " +
      "there are such, for all endpoints that are selected as one; and what the sources leave unknown of that, as items " +
      "of the kind `quality`. `[]`: nothing stands out, and nothing is unknown.",
    scope: "read",
    parameters: [LOAD_TEST_IN_PATH, FILTER, HASH, HASHES, FROM, UNTIL],
    check: checkSelection,
    madeOf: loadTestInPath,
    mediaType: "application/json",
    schema: { type: "array", items: { oneOf: [STEP, BURST, QUALITY] } },
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const { step, burst, quality } = await readFindings({
        loadTestId: values.get("id") ?? "",
        selection: selectionOf(values) ?? ALL_ENDPOINTS,
        range: rangeOf(values),
      });
      const items = [
        ...(step === undefined ? [] : [stepItem(step)]),
        ...(burst === undefined ? [] : [burstItem(burst)]),
        ...quality.map((remark) => ({ kind: "quality", ...remark })),
      ];
      return jsonResponse(items, { isKept: true });
    },
  };
}

function stepItem({ at, beforeMicros, afterMicros, backAt, endpoints }: StepFinding): object {
  const [p95Before, p95After] = [beforeMicros / 1_000_000, afterMicros / 1_000_000];
  return { kind: "step", at, p95Before, p95After, backAt, endpoints };
}

function burstItem({ from, until, failures, allFailures, kind, endpoints }: BurstFinding): object {
  const failure =
    kind === undefined
      ? undefined
      : { code: kind.code, message: kind.message, count: kind.failures };
  const counts = { errCount: failures, allErrCount: allFailures };
  return { kind: "burst", from, until, ...counts, failure, endpoints };
}
