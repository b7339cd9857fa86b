import { ALL_ENDPOINTS } from "../../operations/endpoint-selection.ts";
import type {
  EndpointFailureKinds,
  FailuresAnswer,
  FailuresQuery,
  KindCount,
} from "../../operations/read-failures.ts";
import { jsonList } from "../json-list.ts";
import type { Parameter } from "../parameters.ts";
import type { JsonSchema, Route } from "../route.ts";
import {
  checkSelection,
  FILTER,
  FROM,
  HASH,
  HASHES,
  LOAD_TEST_IN_PATH,
  rangeOf,
  selectionOf,
  UNTIL,
} from "./selection.ts";

const SERIES: Parameter = {
  name: "series",
  description: "Whether each kind comes with its number in each second.",
  required: false,
  schema: { type: "string", enum: ["false", "true"], default: "false" },
};

const COUNT = { type: "integer", minimum: 0 };
const KIND: JsonSchema = {
  type: "object",
  required: ["code", "message", "count"],
  additionalProperties: false,
  properties: {
    code: { type: "string", description: "As the tool recorded it; may be empty." },
    message: {
      type: "string",
      description: "As the tool recorded it; `(other)` holds the kinds beyond the first hundred.",
    },
    count: COUNT,
    from: { type: "integer", description: "First UNIX second; absent where it is not known." },
    until: { type: "integer", description: "Last UNIX second; absent where it is not known." },
    series: {
      type: "array",
      description: "Pairs of UNIX second and count, ascending; second 0 is not known.",
      items: { type: "array", prefixItems: [COUNT, COUNT], items: false },
    },
  },
};
const SCHEMA: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    required: ["hash", "label", "errCount", "withoutKind", "kinds"],
    additionalProperties: false,
    properties: {
      hash: { type: "string", pattern: "^[0-9a-f]{40}$" },
      label: { type: "string" },
      errCount: { ...COUNT, description: "All failed requests of the endpoint." },
      withoutKind: { ...COUNT, description: "Those of which the source does not say why." },
      kinds: { type: "array", items: KIND },
    },
  },
};

/** `GET /Api/LoadTests/{id}/Failures`. */
export function createFailuresRoute(
  readFailures: (query: FailuresQuery) => Promise<FailuresAnswer>,
): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Failures",
    operationId: "getFailures",
    summary: "Why requests failed, by endpoint and kind",
    description:
      "Returns one item for each endpoint with failed requests, by label, and in it the kinds of " +
      "failures, the most frequent first.",
    scope: "read",
    parameters: [LOAD_TEST_IN_PATH, FILTER, HASH, HASHES, FROM, UNTIL, SERIES],
    check: checkSelection,
    mediaType: "application/json",
    schema: SCHEMA,
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const query = {
        loadTestId: values.get("id") ?? "",
        selection: selectionOf(values) ?? ALL_ENDPOINTS,
        range: rangeOf(values),
      };
      const hasSeries = values.get("series") === "true";
      const { revision, endpoints } = await readFailures(query);
      return {
        contentType: "application/json; charset=utf-8",
        headers: {},
        tagParts: ["failures 1", revision, JSON.stringify([query, hasSeries])],
        pieces: () => jsonList(itemsOf(endpoints, hasSeries)),
        release: () => undefined,
      };
    },
  };
}

/** One endpoint at a time: with series an answer can be large. */
async function* itemsOf(
  endpoints: readonly EndpointFailureKinds[],
  hasSeries: boolean,
): AsyncGenerator<object> {
  for (const { hash, label, failedRequests, withoutKind, kinds } of endpoints) {
    const own = kinds.map((kind) => kindItem(kind, hasSeries));
    yield { hash, label, errCount: failedRequests, withoutKind, kinds: own };
  }
}

function kindItem(
  { code, message, requests, from, until, seconds }: KindCount,
  hasSeries: boolean,
) {
  const series = hasSeries
    ? { series: seconds.map(({ second, requests: count }) => [second, count]) }
    : {};
  return { code, message, count: requests, from, until, ...series };
}
