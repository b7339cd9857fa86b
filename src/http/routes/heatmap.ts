import { HEATMAP, type HeatmapJson } from "../../api/response-times.ts";
import { type Heatmap, type HeatmapQuery, rowFloorMicros } from "../../query/read-heatmap.ts";
import { type Route, jsonResponse } from "../route.ts";
import {
  OUTCOME,
  outcomeOf,
  RESOLUTION,
  SELECTED_ROUTE,
  selectedBy,
  SELECTION,
} from "../request/selection.ts";

/** `GET /Api/LoadTests/{id}/Heatmap`. */
export function createHeatmapRoute(readHeatmap: (query: HeatmapQuery) => Promise<Heatmap>): Route {
  return {
    ...SELECTED_ROUTE,
    path: "/Api/LoadTests/{id}/Heatmap",
    operationId: "getHeatmap",
    summary: "Distribution of response times over time",
    description:
      "Returns the number of requests of all selected endpoints per cell of time and response " +
      "time. Each row is 12.2 % higher than the previous one; response times have a resolution of " +
      "1.6 %.",
    parameters: [...SELECTION, OUTCOME, RESOLUTION],
    schema: HEATMAP,
    async handle(values) {
      const resolutionSeconds = Number(values.get("resolution") ?? 1);
      const heatmap = await readHeatmap({
        ...selectedBy(values),
        ...outcomeOf(values),
        resolutionSeconds,
      });
      return jsonResponse(document(heatmap, resolutionSeconds), { isCacheable: true });
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

/** Six decimals keep rows of microseconds distinct. */
function rowSeconds(row: number): number {
  return Number((rowFloorMicros(row) / 1_000_000).toPrecision(6));
}
