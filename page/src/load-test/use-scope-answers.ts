import type { ApiError } from "../api/client.ts";
import {
  askEach,
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
import { hasLines } from "./endpoint-lines.ts";
import type { Range } from "./range.ts";
import { resolutionFor } from "./scope.ts";

/** What the service says about a scope, as far as it has come. */
export interface ScopeAnswers {
  /** Seconds of a point in `series`. */
  readonly resolution: number;
  readonly summary: Summary | undefined;
  readonly overall: Figures | undefined;
  readonly series: Series | undefined;
  /** Of each endpoint that is selected, where they have lines of their own. */
  readonly each: readonly Series[] | undefined;
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

/** What is to be shown. */
interface Wish {
  readonly scope: Scope;
  readonly range: Range;
  /** Changes when there are new data. */
  readonly version: number;
  readonly isHeatmap: boolean;
}

/** Asks for all that is shown of a scope, and again when `version` changes. */
export function useScopeAnswers(wish: Wish): ScopeAnswers {
  const { scope, version } = wish;
  const question = JSON.stringify(scope);
  const summary = useAnswer(question, (signal) => askSummary(scope, signal), version);
  const overall = useAnswer(question, (signal) => askOverall(scope, signal), version);
  const charts = useChartAnswers(wish, overall.value);
  const users = useAnswer(question, (signal) => askUsers(scope, signal), version);
  const findings = useAnswer(question, (signal) => askFindings(scope, signal), version);
  const failures = useAnswer(question, (signal) => askFailures(scope, signal), version);
  const all = [summary, overall, ...charts.all, users, findings, failures];
  return {
    ...charts.shown,
    summary: summary.value,
    overall: overall.value,
    users: users.value ?? [],
    findings: findings.value ?? [],
    failures: failures.value ?? [],
    problem: all.find(({ error }) => error !== undefined)?.error,
  };
}

/** What is drawn over time; asked as soon as it is known how many requests there are. */
function useChartAnswers({ scope, range, version, isHeatmap }: Wish, overall: Figures | undefined) {
  // What is drawn for each endpoint has to be enough of each.
  const lines = hasLines(scope.hashes) ? scope.hashes.length : 1;
  const requests = (overall?.count ?? 0) / lines;
  const width = innerWidth - BESIDE_CHART_PIXELS;
  const resolution = resolutionFor(Math.max(1, range.until - range.from), requests, width);
  const question = overall === undefined ? "" : `${JSON.stringify(scope)} ${resolution}`;
  const series = useAnswer(question, (signal) => askMerged(scope, resolution, signal), version);
  const each = useAnswer(
    lines === 1 ? "" : question,
    (signal) => askEach(scope, resolution, signal, "50,95,99"),
    version,
  );
  const heatmap = useAnswer(
    isHeatmap ? question : "",
    (signal) => askHeatmap(scope, resolution, signal),
    version,
  );
  const shown = {
    resolution,
    series: series.value,
    each: lines === 1 ? undefined : each.value,
    heatmap: heatmap.value,
  };
  return { all: [series, each, heatmap], shown };
}
