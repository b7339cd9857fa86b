import { itemOf } from "../../api/schema.ts";
import { type EndpointFigures, SUMMARY } from "../../api/summary.ts";
import { withOverall } from "../../render/csv-table.ts";
import type { OpenedSummary, RowsRequest, SummaryQuery } from "../../query/open-summary.ts";
import { SORT_COLUMNS, type SortColumn } from "../../query/sort-columns.ts";
import { jsonDocument } from "../response/json-document.ts";
import {
  flagParameter,
  integerParameter,
  textParameter,
  type Parameter,
  type ParameterValues,
} from "../request/parameters.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import { type Route, jsonStream } from "../route.ts";
import {
  checkPercents,
  PERCENTS,
  checkSelection,
  OUTCOME,
  outcomeOf,
  SELECTED_ROUTE,
  selectedBy,
  SELECTION,
} from "../request/selection.ts";

const APDEX = integerParameter(
  "apdexMs",
  "Apdex threshold T in milliseconds; adds the Apdex to the response.",
  { minimum: 1, maximum: 86_400_000 },
);

const PERCENT: Parameter = {
  ...PERCENTS,
  description: `${PERCENTS.description} With them come \`percentiles\`.`,
  example: "75,99.99",
};

const ROWS_MAX = 10_000;

const LIMIT = integerParameter(
  "limit",
  "Maximum number of endpoints to list; `overall` covers all of them.",
  { minimum: 1, maximum: ROWS_MAX },
);

const SORT: Parameter = {
  name: "sort",
  description:
    "The figure to sort endpoints by, then by label. `impact`: requests × (average − median), at least 0.",
  schema: { type: "string", enum: [...SORT_COLUMNS], default: "label" },
};

const ORDER: Parameter = {
  name: "order",
  description: "Sort order. Default: ascending for labels, descending for figures.",
  schema: { type: "string", enum: ["ascending", "descending"] },
};

const SEARCH: Parameter = textParameter(
  "search",
  "Lists only endpoints whose label contains this text, case-sensitive; unlike `filter`, it " +
    "does not affect `overall`.",
);

const TREE: Parameter = flagParameter(
  "tree",
  "Whether to add the values of `by`, which must be one facet, as `parents`, and to each endpoint its `parent`. With `by=group` " +
    "or `by=transaction`, these are the groups or transactions of the script.",
);

function checkTree(values: ParameterValues): readonly ParameterComplaint[] {
  const isMistaken = values.get("tree") === "true" && values.get("by")?.split(",").length !== 1;
  return isMistaken ? [{ parameter: "tree", detail: "tree: expected one facet in by" }] : [];
}

/** Increment when the same data are rendered differently, so that caches drop the old form. */
const WRITTEN_FORM = "5";

export function createSummaryRoute(
  openSummary: (query: SummaryQuery) => Promise<OpenedSummary>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Summary",
    operationId: "getSummary",
    summary: "Summary statistics of a load test, overall and by endpoint",
    description:
      "Returns counts, response times with percentiles, throughput and sizes over the whole range: " +
      "for each endpoint with requests, by label, and for all endpoints together without " +
      "transactions and sub-results. `limit`, `sort`, `order` and `search` select the listed " +
      "endpoints.",
    parameters: [...SELECTION, OUTCOME, APDEX, PERCENT, LIMIT, SORT, ORDER, SEARCH, TREE],
    check: (values) => [...checkSelection(values), ...checkPercents(values), ...checkTree(values)],
    schema: SUMMARY,
    csv: { item: itemOf(SUMMARY, "endpoints") },
    async handle(values) {
      const apdexMs = values.get("apdexMs");
      const query = {
        ...selectedBy(values),
        ...outcomeOf(values),
        apdexMicros: apdexMs === undefined ? undefined : Number(apdexMs) * 1000,
        percents: values.get("percent")?.split(",").map(Number),
        rows: rowsOf(values),
        hasChecks: true,
        hasParents: values.get("tree") === "true",
      };
      const summary = await openSummary(query);
      const { revision, head } = summary;
      const answer = jsonStream(
        [WRITTEN_FORM, revision, JSON.stringify(query)],
        () => jsonDocument(head, ["endpoints", summary.endpoints()]),
        () => summary.release(),
      );
      return { ...answer, items: () => withOverall(head.overall, eachOf(summary.endpoints())) };
    },
  };
}

async function* eachOf(
  parts: AsyncIterable<readonly EndpointFigures[]>,
): AsyncGenerator<EndpointFigures> {
  for await (const part of parts) yield* part;
}

/** The requested page of rows; `undefined` for all. */
function rowsOf(values: ParameterValues): RowsRequest | undefined {
  const [limit, sort, order, search] = ["limit", "sort", "order", "search"].map((name) =>
    values.get(name),
  );
  if ([limit, sort, order, search].every((value) => value === undefined)) return undefined;
  const column = (sort ?? "label") as SortColumn;
  const usual = column === "label" ? "ascending" : "descending";
  return {
    limit: Number(limit ?? ROWS_MAX),
    sort: column,
    order: (order ?? usual) as RowsRequest["order"],
    search,
  };
}
