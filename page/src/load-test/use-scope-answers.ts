import type { ApiError } from "../api/client.ts";
import {
  askFailures,
  askFindings,
  askOverall,
  askSummary,
  askUsers,
  type Failures,
  type Finding,
  type OverallFigures,
  type Scope,
  type Summary,
  type Users,
} from "../api/figures.ts";
import { useAnswer } from "../api/use-answer.ts";
import type { Range } from "./range.ts";
import type { Sheet } from "./sheet.ts";
import { useSheet } from "./use-sheet.ts";

/** What the service says about a scope, as far as it has come. */
export interface ScopeAnswers {
  readonly summary: Summary | undefined;
  readonly overall: OverallFigures | undefined;
  /** What is drawn over time. */
  readonly sheet: Sheet | undefined;
  readonly users: Users;
  readonly findings: readonly Finding[] | undefined;
  readonly failures: Failures | undefined;
  /** The first thing that could not be had. */
  readonly problem: ApiError | undefined;
}

/** What is to be shown. */
interface Wish {
  readonly scope: Scope;
  readonly range: Range;
  /** Changes when there are new data. */
  readonly version: number;
  readonly isHeatmap: boolean;
  /** Requests of the scope, where they are known without asking. */
  readonly expectedRequests: number | undefined;
}

/** So many tell the seconds of failures apart in charts of any usual width. */
const FAILURE_WINDOWS = 1200;

/** Asks for all that is shown of a scope, and again when `version` changes. */
export function useScopeAnswers(wish: Wish): ScopeAnswers {
  const { scope, range, version } = wish;
  const question = JSON.stringify(scope);
  const summary = useAnswer(question, (signal) => askSummary(scope, signal), version);
  const overall = useAnswer(question, (signal) => askOverall(scope, signal), version);
  const isFresh = overall.question === question;
  const drawn = useSheet(wish, isFresh ? overall.value?.count : wish.expectedRequests);
  const users = useAnswer(question, (signal) => askUsers(scope, signal), version);
  const findings = useAnswer(question, (signal) => askFindings(scope, signal), version);
  const windowSeconds = Math.max(1, Math.ceil((range.until - range.from) / FAILURE_WINDOWS));
  const failures = useAnswer(
    question,
    (signal) => askFailures(scope, windowSeconds, signal),
    version,
  );
  const all = [summary, overall, drawn, users, findings, failures];
  return {
    summary: summary.value,
    overall: overall.value,
    sheet: drawn.sheet,
    users: users.value ?? [],
    findings: findings.value,
    failures: failures.value,
    problem: all.find(({ error }) => error !== undefined)?.error,
  };
}
