import type { ApiError } from "../api/client.ts";
import {
  askFailures,
  askFindings,
  askHeatmap,
  askMerged,
  askOverall,
  askSummary,
  askUsers,
  type EndpointFailures,
  type Figures,
  type Finding,
  type Heatmap,
  type Scope,
  type Series,
  type Summary,
  type Users,
} from "../api/figures.ts";
import { useAnswer } from "../api/use-answer.ts";
import { resolutionFor } from "./scope.ts";

/** What the service says about a scope, as far as it has come. */
export interface ScopeAnswers {
  /** Seconds of a point in `series`. */
  readonly resolution: number;
  readonly summary: Summary | undefined;
  readonly overall: Figures | undefined;
  readonly series: Series | undefined;
  /** Only where it was wanted. */
  readonly heatmap: Heatmap | undefined;
  readonly users: Users;
  readonly findings: readonly Finding[];
  readonly failures: readonly EndpointFailures[];
  /** The first thing that could not be had. */
  readonly problem: ApiError | undefined;
}

/** What stands beside a chart: margins, axis, names of lines. */
const BESIDE_CHART_PIXELS = 176;

/** Asks for all that is shown of a scope, and again when `version` changes. */
export function useScopeAnswers(
  scope: Scope,
  range: { readonly from: number; readonly until: number },
  version: number,
  isHeatmap: boolean,
): ScopeAnswers {
  const question = JSON.stringify(scope);
  const summary = useAnswer(question, (signal) => askSummary(scope, signal), version);
  const overall = useAnswer(question, (signal) => askOverall(scope, signal), version);
  const requests = overall.value?.count ?? 0;
  const width = innerWidth - BESIDE_CHART_PIXELS;
  const resolution = resolutionFor(Math.max(1, range.until - range.from), requests, width);
  const series = useAnswer(
    overall.value === undefined ? "" : `${question} ${resolution}`,
    (signal) => askMerged(scope, resolution, signal),
    version,
  );
  const heatmap = useAnswer(
    overall.value === undefined || !isHeatmap ? "" : `${question} ${resolution}`,
    (signal) => askHeatmap(scope, resolution, signal),
    version,
  );
  const users = useAnswer(question, (signal) => askUsers(scope, signal), version);
  const findings = useAnswer(question, (signal) => askFindings(scope, signal), version);
  const failures = useAnswer(question, (signal) => askFailures(scope, signal), version);
  const all = [summary, overall, series, heatmap, users, findings, failures];
  return {
    resolution,
    summary: summary.value,
    overall: overall.value,
    series: series.value,
    heatmap: heatmap.value,
    users: users.value ?? [],
    findings: findings.value ?? [],
    failures: failures.value ?? [],
    problem: all.find(({ error }) => error !== undefined)?.error,
  };
}
