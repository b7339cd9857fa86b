import { HEATMAP, type HeatmapJson } from "../../api/heatmap.ts";
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
} from "../request/selection.ts";

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
    schema: HEATMAP,
    errors: ["bad-parameter", "unknown-load-test", "sum-too-large", "damaged-store"],
    async handle(values) {
      const resolutionSeconds = Number(values.get("resolution") ?? 1);
      const heatmap = await readHeatmap({
        loadTestId: values.get("id") ?? "",
        selection: selectionOf(values) ?? ALL_ENDPOINTS,
        range: rangeOf(values),
        resolutionSeconds,
      });
      return jsonResponse(document(heatmap, resolutionSeconds), { isKept: true });
    },
  };
}

function document({ second, cells }: Heatmap, resolution: number): HeatmapJson {
  const used = cells.flatMap((column) => column.map(({ row }) => row));
  const first = used.reduce((least, row) => Math.min(least, row), Infinity);
  const last = used.reduce((most, row) => Math.max(most, row), -1);
  const count = used.length === 0 ? 0 : last - first + 2;
  return {
    resolution,
    labels: second,
    rows: Array.from({ length: count }, (_, index) => rowSeconds(first + index)),
    cells: cells.map((column) =>
      column.map(({ row, requests }) => [row - first, requests] as const),
    ),
  };
}

/** Six digits, so that the rows of microseconds are told apart, too. */
function rowSeconds(row: number): number {
  return Number((rowFloorMicros(row) / 1_000_000).toPrecision(6));
}
