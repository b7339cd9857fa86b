import {
  HEATMAP,
  HEATMAP_ENDPOINTS,
  type HeatmapEndpointsJson,
  type HeatmapJson,
} from "../../api/response-times.ts";
import {
  type Heatmap,
  type HeatmapEndpointsQuery,
  type HeatmapQuery,
  rowFloorMicros,
} from "../../query/read-heatmap.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import { integerParameter, type Parameter, type ParameterValues } from "../request/parameters.ts";
import { type Route, jsonResponse } from "../route.ts";
import {
  checkSelection,
  OUTCOME,
  outcomeOf,
  RESOLUTION,
  resolutionOf,
  SELECTED_ROUTE,
  selectedBy,
  SELECTION,
} from "../request/selection.ts";

export function createHeatmapRoute(readHeatmap: (query: HeatmapQuery) => Promise<Heatmap>): Route {
  return {
    ...SELECTED_ROUTE,
    readsSeconds: true,
    path: "/Api/LoadTests/{id}/Heatmap",
    operationId: "getHeatmap",
    summary: "Distribution of response times over time",
    description:
      "Returns the number of requests of all selected endpoints per cell of time and response " +
      "time. Each row is 12.2 % higher than the previous one; response times have a resolution of " +
      "0.2 %.",
    parameters: [...SELECTION, OUTCOME, RESOLUTION],
    schema: HEATMAP,
    async handle(values) {
      const resolutionSeconds = resolutionOf(values);
      const query = { ...selectedBy(values), ...outcomeOf(values), resolutionSeconds };
      const heatmap = await readHeatmap(query);
      return jsonResponse(document(heatmap, resolutionSeconds), { isCacheable: true });
    },
  };
}

const RECTANGLE: readonly Parameter[] = [
  integerParameter("fromMicros", "Shortest response time in microseconds.", {
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
  }),
  integerParameter(
    "untilMicros",
    "Response time in microseconds above the longest one. Default: no limit.",
    { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  ),
  integerParameter("limit", "Maximum number of endpoints to list.", {
    minimum: 1,
    maximum: 1000,
    default: 100,
  }),
];

export function createHeatmapEndpointsRoute(
  readEndpoints: (query: HeatmapEndpointsQuery) => Promise<HeatmapEndpointsJson>,
): Route {
  return {
    ...SELECTED_ROUTE,
    readsSeconds: true,
    path: "/Api/LoadTests/{id}/Heatmap/Endpoints",
    operationId: "getHeatmapEndpoints",
    summary: "Endpoints in a rectangle of the heatmap",
    description:
      "Returns how many requests of each selected endpoint are in a rectangle of time (`from`, " +
      "`until`) and response time (`fromMicros`, `untilMicros`). A request counts with the middle " +
      "of its histogram bucket, within 0.1 % of its response time, as in the heatmap.",
    parameters: [...SELECTION, OUTCOME, ...RECTANGLE],
    check: (values) => [...checkSelection(values), ...checkMicros(values)],
    schema: HEATMAP_ENDPOINTS,
    async handle(values) {
      const answer = await readEndpoints({
        ...selectedBy(values),
        ...outcomeOf(values),
        fromMicros: Number(values.get("fromMicros") ?? 0),
        untilMicros: Number(values.get("untilMicros") ?? Infinity),
        limit: Number(values.get("limit") ?? 100),
      });
      return jsonResponse(answer, { isCacheable: true });
    },
  };
}

function checkMicros(values: ParameterValues): readonly ParameterComplaint[] {
  const [from, until] = [values.get("fromMicros") ?? "0", values.get("untilMicros") ?? "Infinity"];
  if (!(Number(from) >= Number(until))) return [];
  const detail = `untilMicros: expected more than fromMicros, got ${until}`;
  return [{ parameter: "untilMicros", detail }];
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
