/** The comparison of several runs that the URL selects. */

import type { RunsParameters } from "../api/comparison.ts";
import { facetsIn } from "../facets/facet-filter.ts";

/** Of cells and curves. */
export const RUN_STATISTICS = ["average", "p50", "p95", "p99", "failed"] as const;

export type RunStatistic = (typeof RUN_STATISTICS)[number];

export const FIGURES = {
  average: "avgLoadTime",
  p50: "p50",
  p95: "p95",
  p99: "p99",
  failed: "errRate",
} as const;

export interface ShownRuns {
  readonly request: RunsParameters;
  readonly statistic: RunStatistic;
  /** Text that labels contain; it hides rows only. */
  readonly filter: string;
  /** Of the endpoint whose curves are shown; `undefined`: overall. */
  readonly hash: string | undefined;
}

const ENDPOINTS_MAX = 1000;

export function shownRuns(parameters: ReadonlyMap<string, string>): ShownRuns {
  const given = (name: string): string | undefined => parameters.get(name) || undefined;
  const number = (name: string): number | undefined =>
    /^[1-9]\d{0,8}$/.test(parameters.get(name) ?? "") ? Number(parameters.get(name)) : undefined;
  return {
    request: {
      runs: given("runs"),
      name: given("runs") === undefined ? given("name") : undefined,
      last: number("last"),
      per: given("per"),
      base: given("base"),
      skipStart: number("skipStart"),
      limit: ENDPOINTS_MAX,
      ...facetsIn(parameters),
    },
    statistic: RUN_STATISTICS.find((each) => each === parameters.get("statistic")) ?? "p95",
    filter: given("filter") ?? "",
    hash: /^[0-9a-f]{40}$/.exec(parameters.get("endpoint") ?? "")?.[0],
  };
}
