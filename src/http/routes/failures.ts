import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { mergeFailureKinds } from "../../query/merge-failure-kinds.ts";
import type {
  EndpointFailureKinds,
  FailuresAnswer,
  FailuresQuery,
  KindCount,
} from "../../query/read-failures.ts";
import { jsonList } from "../response/json-document.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import type { Parameter, ParameterValues } from "../request/parameters.ts";
import { type Route, JSON_CONTENT_TYPE } from "../route.ts";
import {
  checkSelection,
  FILTER,
  FROM,
  HASH,
  HASHES,
  LOAD_TEST_IN_PATH,
  loadTestInPath,
  rangeOf,
  RESOLUTION,
  selectionOf,
  UNTIL,
} from "../schemas/selection.ts";
import type { JsonSchema } from "../../api/schema.ts";

const SERIES: Parameter = {
  name: "series",
  description: "Whether each kind comes with its number in each second.",
  required: false,
  schema: { type: "string", enum: ["false", "true"], default: "false" },
};

const MERGE: Parameter = {
  name: "merge",
  description: "Whether all endpoints that are selected become one item.",
  required: false,
  schema: { type: "string", enum: ["false", "true"], default: "false" },
};

/** Of a kind that many endpoints have, those with the most failures are named. */
const ENDPOINTS_NAMED_MAX = 100;

const COUNT = { type: "integer", minimum: 0 };
const HASH_SCHEMA = { type: "string", pattern: "^[0-9a-f]{40}$" };
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
    endpointCount: { ...COUNT, description: "Endpoints that have it; only with `merge=true`." },
    endpoints: {
      type: "array",
      description: `The first ${ENDPOINTS_NAMED_MAX} of them, that with the most failures first.`,
      items: {
        type: "object",
        required: ["hash", "label", "count"],
        additionalProperties: false,
        properties: { hash: HASH_SCHEMA, label: { type: "string" }, count: COUNT },
      },
    },
  },
};
const SCHEMA: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    required: ["errCount", "withoutKind", "kinds"],
    additionalProperties: false,
    properties: {
      hash: HASH_SCHEMA,
      label: { type: "string", description: "Absent, like `hash`, where endpoints were merged." },
      leftOut: {
        type: "string",
        enum: ["transaction", "subresult"],
        description:
          "What the rows are, where they repeat those of others: `merge` leaves them out.",
      },
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
      "Returns one item for each endpoint with failed requests, by label, or one for all of them " +
      "(`merge=true`), without transactions and sub-results, and in it the kinds of failures, the " +
      "most frequent first.",
    scope: "read",
    parameters: [LOAD_TEST_IN_PATH, FILTER, HASH, HASHES, FROM, UNTIL, SERIES, MERGE, RESOLUTION],
    check: (values) => [...checkSelection(values), ...checkResolution(values)],
    madeOf: loadTestInPath,
    mediaType: "application/json",
    schema: SCHEMA,
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const hasSeries = values.get("series") === "true";
      const isMerged = values.get("merge") === "true";
      const query = {
        loadTestId: values.get("id") ?? "",
        selection: selectionOf(values) ?? ALL_ENDPOINTS,
        range: rangeOf(values),
        isMerged,
      };
      const resolution = Number(values.get("resolution") ?? 1);
      const { revision, endpoints } = await readFailures(query);
      return {
        contentType: JSON_CONTENT_TYPE,
        headers: {},
        tagParts: ["failures 4", revision, JSON.stringify([query, hasSeries, resolution])],
        pieces: () =>
          jsonList(
            isMerged
              ? mergedItems(endpoints, hasSeries, resolution)
              : itemsOf(endpoints, hasSeries),
          ),
        release: () => undefined,
      };
    },
  };
}

function checkResolution(values: ParameterValues): readonly ParameterComplaint[] {
  if (!values.has("resolution") || values.get("merge") === "true") return [];
  return [{ parameter: "resolution", detail: "resolution: expected merge=true with it" }];
}

/** One item, of all endpoints. */
async function* mergedItems(
  endpoints: readonly EndpointFailureKinds[],
  hasSeries: boolean,
  resolution: number,
): AsyncGenerator<object> {
  const { failedRequests, withoutKind, kinds } = await mergeFailureKinds(endpoints, resolution);
  const items = kinds.map((kind) => ({
    ...kindItem(kind, hasSeries),
    endpointCount: kind.endpoints.length,
    endpoints: kind.endpoints
      .slice(0, ENDPOINTS_NAMED_MAX)
      .map(({ hash, label, requests: count }) => ({ hash, label, count })),
  }));
  yield { errCount: failedRequests, withoutKind, kinds: items };
}

/** One endpoint at a time: with series an answer can be large. */
async function* itemsOf(
  endpoints: readonly EndpointFailureKinds[],
  hasSeries: boolean,
): AsyncGenerator<object> {
  for (const { hash, label, leftOut, failedRequests, withoutKind, kinds } of endpoints) {
    const own = kinds.map((kind) => kindItem(kind, hasSeries));
    yield { hash, label, leftOut, errCount: failedRequests, withoutKind, kinds: own };
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
