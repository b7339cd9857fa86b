import type { TrendJson } from "../api/trend.ts";
import type { Trend } from "../analysis/trend/read-trend.ts";

/** The trend that an answer tells. */
export function trendOf({ overall, endpoints, ...others }: TrendJson): Trend {
  return {
    ...others,
    overall: valuesOf(overall),
    endpoints: endpoints.map((endpoint) => ({ ...endpoint, ...valuesOf(endpoint) })),
  };
}

function valuesOf(json: TrendJson["overall"]) {
  return {
    count: knownOf(json.count),
    errRate: knownOf(json.errRate),
    avgLoadTime: knownOf(json.avgLoadTime),
    p50: knownOf(json.p50),
    p95: knownOf(json.p95),
    p99: knownOf(json.p99),
  };
}

function knownOf(values: readonly (number | null)[]): readonly (number | undefined)[] {
  return values.map((value) => value ?? undefined);
}
