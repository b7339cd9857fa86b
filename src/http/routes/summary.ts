import { SUMMARY } from "../../api/summary.ts";
import type { OpenedSummary, RowsRequest, SummaryQuery } from "../../query/open-summary.ts";
import { SORT_COLUMNS, type SortColumn } from "../../query/sort-columns.ts";
import { jsonDocument } from "../response/json-document.ts";
import type { Parameter, ParameterValues } from "../request/parameters.ts";
import { type Route, JSON_CONTENT_TYPE } from "../route.ts";
import { checkPercents, PERCENTS } from "../request/percents.ts";
import { checkSelection, SELECTED_ROUTE, selectedBy, SELECTION } from "../request/selection.ts";

const APDEX: Parameter = {
  name: "apdexMs",
  description: "Apdex threshold T, in milliseconds. With it, the response has the Apdex.",
  required: false,
  schema: { type: "integer", minimum: 1, maximum: 86_400_000 },
};

const PERCENT: Parameter = {
  ...PERCENTS,
  description: `${PERCENTS.description} With them come \`requestedPercentiles\`.`,
  example: "75,99.99",
};

const ROWS_MAX = 10_000;

const LIMIT: Parameter = {
  name: "limit",
  description: "Maximum number of endpoints to list; `overall` covers all of them.",
  required: false,
  schema: { type: "integer", minimum: 1, maximum: ROWS_MAX },
};

const SORT: Parameter = {
  name: "sort",
  description: "The figure that endpoints are listed by, equal ones by label.",
  required: false,
  schema: { type: "string", enum: [...SORT_COLUMNS], default: "label" },
};

const ORDER: Parameter = {
  name: "order",
  description:
    "The order in which they are listed. Unless it is given, labels ascend and figures descend.",
  required: false,
  schema: { type: "string", enum: ["ascending", "descending"] },
};

const SEARCH: Parameter = {
  name: "search",
  description:
    "Text that the label of an endpoint has to contain to be listed, letter case included; unlike " +
    "`filter` it leaves `overall` as it is.",
  required: false,
  schema: { type: "string", minLength: 1 },
};

/** Increment when the same data are rendered differently, so that caches drop the old form. */
const WRITTEN_FORM = "2";

/** `GET /Api/LoadTests/{id}/Summary`. */
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
      "of each endpoint that has requests, by label, and of all of them as one, without transactions " +
      "and sub-results. With `limit`, `sort`, `order` and `search` only the first of them are listed.",
    parameters: [...SELECTION, APDEX, PERCENT, LIMIT, SORT, ORDER, SEARCH],
    check: (values) => [...checkSelection(values), ...checkPercents(values)],
    schema: SUMMARY,
    async handle(values) {
      const apdexMs = values.get("apdexMs");
      const query = {
        ...selectedBy(values),
        apdexMicros: apdexMs === undefined ? undefined : Number(apdexMs) * 1000,
        percents: values.get("percent")?.split(",").map(Number),
        rows: rowsOf(values),
      };
      const summary = await openSummary(query);
      const { revision, head } = summary;
      return {
        contentType: JSON_CONTENT_TYPE,
        headers: {},
        tagParts: [WRITTEN_FORM, revision, JSON.stringify(query)],
        chunks: () => jsonDocument(head, ["endpoints", summary.endpoints()]),
        release: () => summary.release(),
      };
    },
  };
}

/** The requested page of rows; `undefined` for all. */
function rowsOf(values: ParameterValues): RowsRequest | undefined {
  const [limit, sort, order, search] = ["limit", "sort", "order", "search"].map((name) =>
    values.get(name),
  );
  if ([limit, sort, order, search].every((value) => value === undefined)) return undefined;
  return {
    limit: limit === undefined ? ROWS_MAX : Number(limit),
    sort: (sort ?? "label") as SortColumn,
    order:
      order === "ascending" || (order === undefined && (sort ?? "label") === "label")
        ? "ascending"
        : "descending",
    search,
  };
}
