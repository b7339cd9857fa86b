import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { type Heatmap, type HeatmapQuery, rowFloorMicros } from "../../query/read-heatmap.ts";
import { type Route, jsonResponse } from "../route.ts";
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

const WHOLE = { type: "integer", minimum: 0 };

const SCHEMA: JsonSchema = {
  type: "object",
  required: ["resolution", "labels", "rows", "cells"],
  additionalProperties: false,
  properties: {
    resolution: { ...WHOLE, description: "Seconds of a column." },
    labels: {
      type: "array",
      items: WHOLE,
      description: "UNIX seconds at which the columns that have requests begin, ascending.",
    },
    rows: {
      type: "array",
      items: { type: "number", minimum: 0 },
      description: "Seconds at which rows begin, ascending; the last one ends the row before it.",
    },
    cells: {
      type: "array",
      description: "For each column its cells: pairs of the index of the row and the requests.",
      items: {
        type: "array",
        items: { type: "array", prefixItems: [WHOLE, WHOLE], items: false },
      },
    },
  },
};

/** `GET /Api/LoadTests/{id}/Heatmap`. */
export function createHeatmapRoute(readHeatmap: (query: HeatmapQuery) => Promise<Heatmap>): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Heatmap",
    operationId: "getHeatmap",
    summary: "Distribution of response times over time",
    description:
      "Returns how many requests of all endpoints that are selected fall into each cell of time " +
      "and response time. Rows grow by 12.2 %; times are told apart to 1.6 %.",
    scope: "read",
    parameters: [LOAD_TEST_IN_PATH, FILTER, HASH, HASHES, FROM, UNTIL, RESOLUTION],
    check: checkSelection,
    madeOf: loadTestInPath,
    mediaType: "application/json",
    schema: SCHEMA,
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const resolutionSeconds = Number(values.get("resolution") ?? 1);
      const heatmap = await readHeatmap({
        loadTestId: values.get("id") ?? "",
        selection: selectionOf(values) ?? ALL_ENDPOINTS,
        range: rangeOf(values),
        resolutionSeconds,
      });
      return jsonResponse(
        { resolution: resolutionSeconds, ...document(heatmap) },
        { isKept: true },
      );
    },
  };
}

function document({ second, cells }: Heatmap): object {
  const used = cells.flatMap((column) => column.map(({ row }) => row));
  const first = used.reduce((least, row) => Math.min(least, row), Infinity);
  const last = used.reduce((most, row) => Math.max(most, row), -1);
  const count = used.length === 0 ? 0 : last - first + 2;
  return {
    labels: second,
    rows: Array.from({ length: count }, (_, index) => rowSeconds(first + index)),
    cells: cells.map((column) => column.map(({ row, requests }) => [row - first, requests])),
  };
}

/** Six digits, so that the rows of microseconds are told apart, too. */
function rowSeconds(row: number): number {
  return Number((rowFloorMicros(row) / 1_000_000).toPrecision(6));
}
