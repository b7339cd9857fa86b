import {
  type BandJson,
  type PercentilesItem,
  type DistributionJson,
  PERCENTILES_SCHEMA,
  DISTRIBUTION,
} from "../../api/response-times.ts";
import { itemOf } from "../../api/schema.ts";
import { timedRequestsOf } from "../../model/columns.ts";
import type { SumColumns } from "../../model/data-points.ts";
import { quotientText } from "../../render/quotient-text.ts";
import type {
  Band,
  BandEdge,
  Distribution,
  DistributionQuery,
  PercentileSeries,
  PercentilesAnswer,
  PercentilesQuery,
} from "../../query/read-percentiles.ts";
import type { ParameterComplaint } from "../response/http-error.ts";
import { jsonList } from "../response/json-document.ts";
import {
  type Parameter,
  type ParameterValues,
  flagParameter,
  integerParameter,
} from "../request/parameters.ts";
import { type Route, jsonStream, jsonResponse } from "../route.ts";
import {
  checkPercents,
  PERCENTS,
  checkSelection,
  RESOLUTION,
  resolutionOf,
  OUTCOME,
  outcomeOf,
  SELECTED_ROUTE,
  selectedBy,
  SELECTION,
} from "../request/selection.ts";

const DEFAULT_PERCENTS = "50,90,95,99";

const PERCENT: Parameter = {
  ...PERCENTS,
  description: `${PERCENTS.description} ${DEFAULT_PERCENTS} without it.`,
};

const WINDOWS_SECONDS_MAX = 3600;

const WINDOW = integerParameter(
  "window",
  "Seconds: points are the windows of this length that begin at each second, within `from` and `until`. Those without a " +
    "request are left out. Needs a resolution of 1.",
  { minimum: 1, maximum: WINDOWS_SECONDS_MAX },
);

const MERGE = flagParameter("merge", "Whether to merge all selected endpoints into one series.");

const BAND = flagParameter(
  "band",
  "Whether to include the lowest and the highest value over the endpoints per point of a " +
    "merged series.",
);

export function createPercentilesRoute(
  openPercentiles: (query: PercentilesQuery) => Promise<PercentilesAnswer>,
): Route {
  return {
    ...SELECTED_ROUTE,
    readsSeconds: true,
    path: "/Api/LoadTests/{id}/Percentiles",
    operationId: "getPercentiles",
    summary: "Percentiles of response times over time, by endpoint or merged",
    description:
      "Returns one item per endpoint, by label, or one for all endpoints without transactions and " +
      "sub-results (`merge=true`). Percentiles over several seconds or endpoints are computed from " +
      "merged distributions.",
    parameters: [...SELECTION, OUTCOME, RESOLUTION, WINDOW, PERCENT, MERGE, BAND],
    check: (values) => [
      ...checkSelection(values),
      ...checkPercents(values),
      ...checkBand(values),
      ...checkWindow(values),
    ],
    schema: PERCENTILES_SCHEMA,
    csv: { item: itemOf(PERCENTILES_SCHEMA), points: "labels" },
    async handle(values) {
      const percents = percentsOf(values);
      const query = {
        ...selectedBy(values),
        ...outcomeOf(values),
        resolutionSeconds: resolutionOf(values),
        ...windowOf(values),
        quantiles: percents.map((percent) => Number(percent) / 100),
        isMerged: values.get("merge") === "true",
        isBanded: values.get("band") === "true",
      };
      const answer = await openPercentiles(query);
      const items = () => itemsOf(answer.series(), percents, query.resolutionSeconds);
      const response = jsonStream(
        ["percentiles 7", answer.revision, JSON.stringify([query, percents])],
        () => jsonList(items()),
        () => answer.release(),
      );
      return { ...response, items };
    },
  };
}

function percentsOf(values: ParameterValues): readonly string[] {
  return (values.get("percent") ?? DEFAULT_PERCENTS).split(",");
}

function windowOf(values: ParameterValues): Pick<PercentilesQuery, "windowSeconds"> {
  const seconds = values.get("window");
  return seconds === undefined ? {} : { windowSeconds: Number(seconds) };
}

function checkWindow(values: ParameterValues): readonly ParameterComplaint[] {
  if (!values.has("window")) return [];
  const others = [
    ...(resolutionOf(values) === 1 ? [] : ["resolution"]),
    ...(values.get("band") === "true" ? ["band"] : []),
  ];
  return others.map((parameter) => ({
    parameter,
    detail: `${parameter}: expected none with window, got ${values.get(parameter) ?? ""}`,
  }));
}

function checkBand(values: ParameterValues): readonly ParameterComplaint[] {
  if (values.get("band") !== "true" || values.get("merge") === "true") return [];
  return [{ parameter: "band", detail: "band: requires merge=true" }];
}

async function* itemsOf(
  series: AsyncIterable<PercentileSeries>,
  percents: readonly string[],
  resolution: number,
): AsyncGenerator<PercentilesItem> {
  for await (const { endpoint, sums, hasSizes, band, ...each } of series) {
    const names = endpoint === undefined ? {} : { hash: endpoint.hash, label: endpoint.label };
    const item = {
      ...names,
      labels: [...each.second],
      ...sumsItem(sums, resolution),
      receivedBytes: Array.from(sums.receivedBytes, (bytes) => (hasSizes ? bytes : null)),
      percentileOrigin: each.origin,
      percentiles: percentilesItem(each.quantileMicros, percents),
      ...(each.leftOut !== undefined && { leftOut: each.leftOut }),
      ...(each.quality.length === 0 ? {} : { quality: each.quality }),
    };
    yield band === undefined ? item : { ...item, band: bandItem(band, percents) };
  }
}

function percentilesItem(quantileMicros: readonly Float64Array[], percents: readonly string[]) {
  return Object.fromEntries(
    quantileMicros.map((micros, index) => [
      `p${percents[index]}`,
      Array.from(micros, (each) => (Number.isNaN(each) ? null : each / 1_000_000)),
    ]),
  );
}

function bandItem({ lowest, highest }: Band, percents: readonly string[]): BandJson {
  const edgeItem = ({ averageMicros, quantileMicros }: BandEdge) => ({
    avgLoadTime: Array.from(averageMicros, (micros) =>
      Number.isNaN(micros) ? null : Math.round(micros) / 1_000_000,
    ),
    percentiles: percentilesItem(quantileMicros, percents),
  });
  return { lowest: edgeItem(lowest), highest: edgeItem(highest) };
}

function sumsItem(sums: SumColumns, resolution: number) {
  const { requests, elapsedMicros, windowSeconds } = sums;
  const windows = windowSeconds?.map((seconds) => Math.max(seconds, resolution));
  const areCoarser = windows?.some((seconds) => seconds > resolution) ?? false;
  return {
    ...(windows === undefined || !areCoarser ? {} : { windows: [...windows] }),
    count: [...requests],
    errCount: [...sums.failedRequests],
    avgLoadTime: Array.from(timedRequestsOf(sums), (timed, point) =>
      timed === 0
        ? null
        : Number(quotientText(BigInt(elapsedMicros[point] as number), BigInt(timed) * 1_000_000n)),
    ),
  };
}

export function createDistributionRoute(
  readDistribution: (query: DistributionQuery) => Promise<Distribution>,
): Route {
  return {
    ...SELECTED_ROUTE,
    readsSeconds: true,
    path: "/Api/LoadTests/{id}/Distribution",
    operationId: "getDistribution",
    summary: "Distribution of response times over all selected endpoints",
    description:
      "Returns the number of requests per response time over all selected endpoints, and their " +
      "overall statistics. Response times have a resolution of 0.2 %.",
    parameters: [...SELECTION, OUTCOME],
    schema: DISTRIBUTION,
    async handle(values) {
      const { figures, quality, micros, requests } = await readDistribution({
        ...selectedBy(values),
        ...outcomeOf(values),
      });
      const times = micros.map((each) => each / 1_000_000);
      const answer: DistributionJson = { overall: figures, quality, times, counts: requests };
      return jsonResponse(answer, { isCacheable: true });
    },
  };
}
