import {
  ENDPOINTS_NAMED_MAX,
  FAILURES,
  FAILURES_CSV,
  type FailuresItem,
} from "../../api/failures.ts";
import { mergeFailureKinds } from "../../query/merge-failure-kinds.ts";
import type {
  EndpointFailureKinds,
  FailuresAnswer,
  FailuresQuery,
  KindCount,
} from "../../query/read-failures.ts";
import { jsonList } from "../response/json-document.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import { flagParameter, type ParameterValues } from "../request/parameters.ts";
import { type Route, jsonStream } from "../route.ts";
import {
  checkSelection,
  RESOLUTION,
  resolutionOf,
  SELECTED_ROUTE,
  selectedBy,
  SELECTION,
} from "../request/selection.ts";

const SERIES = flagParameter("series", "Whether to include the count per second of each kind.");

const MERGE = flagParameter("merge", "Whether to merge all selected endpoints into one item.");

export function createFailuresRoute(
  readFailures: (query: FailuresQuery) => Promise<FailuresAnswer>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Failures",
    operationId: "getFailures",
    summary: "Why requests failed, by endpoint and kind",
    description:
      "Returns one item per endpoint with failed requests, by label, or one for all endpoints " +
      "without transactions and sub-results (`merge=true`). Each item lists the kinds of failures, " +
      "most frequent first.",
    parameters: [...SELECTION, SERIES, MERGE, RESOLUTION],
    check: (values) => [...checkSelection(values), ...checkResolution(values)],
    schema: FAILURES,
    csv: FAILURES_CSV,
    async handle(values) {
      const hasSeries = values.get("series") === "true";
      const isMerged = values.get("merge") === "true";
      const query = { ...selectedBy(values), isMerged };
      const resolution = resolutionOf(values);
      const { revision, endpoints } = await readFailures(query);
      const items = isMerged
        ? mergedItems(endpoints, hasSeries, resolution)
        : itemsOf(endpoints, hasSeries);
      const asked = JSON.stringify([query, hasSeries, resolution]);
      const answer = jsonStream(["failures 4", revision, asked], () => jsonList(items));
      return { ...answer, items: () => kindsOf(items) };
    },
  };
}

function checkResolution(values: ParameterValues): readonly ParameterComplaint[] {
  if (!values.has("resolution") || values.get("merge") === "true") return [];
  return [{ parameter: "resolution", detail: "resolution: requires merge=true" }];
}

/** One item for all endpoints. */
async function* mergedItems(
  endpoints: readonly EndpointFailureKinds[],
  hasSeries: boolean,
  resolution: number,
): AsyncGenerator<FailuresItem> {
  const { errCount, withoutKind, kinds } = await mergeFailureKinds(endpoints, resolution);
  const items = kinds.map((kind) => ({
    ...kindItem(kind, hasSeries),
    endpointCount: kind.endpoints.length,
    endpoints: kind.endpoints
      .slice(0, ENDPOINTS_NAMED_MAX)
      .map(({ hash, label, count }) => ({ hash, label, count })),
  }));
  yield { errCount, withoutKind, kinds: items };
}

/** One endpoint at a time: with series a response can be large. */
async function* itemsOf(
  endpoints: readonly EndpointFailureKinds[],
  hasSeries: boolean,
): AsyncGenerator<FailuresItem> {
  for (const { hash, label, leftOut, errCount, withoutKind, kinds } of endpoints) {
    const own = kinds.map((kind) => kindItem(kind, hasSeries));
    yield { hash, label, leftOut, errCount, withoutKind, kinds: own };
  }
}

/** An item for each kind, or one for an endpoint without any. */
async function* kindsOf(items: AsyncIterable<FailuresItem>): AsyncGenerator<object> {
  for await (const { kinds, ...item } of items) {
    yield* kinds.length === 0 ? [item] : kinds.map((kind) => ({ ...item, ...kind }));
  }
}

function kindItem({ code, message, count, from, until, seconds }: KindCount, hasSeries: boolean) {
  const series = hasSeries
    ? { series: seconds.map(({ second, requests }) => [second, requests] as const) }
    : {};
  return { code, message, count, from, until, ...series };
}
