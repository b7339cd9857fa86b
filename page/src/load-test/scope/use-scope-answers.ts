import { useRef } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import {
  askFailures,
  askFindings,
  askOverall,
  askSummary,
  askUsers,
  type Failures,
  type Finding,
  type OverallFigures,
  type RowsRequest,
  overallOf,
  type Scope,
  type Summary,
  type Users,
} from "../../api/figures.ts";
import { type Asked, useAnswer } from "../../api/use-answer.ts";
import { hasLines } from "../endpoints/endpoint-lines.ts";
import type { Range } from "./range.ts";
import { isOfSame, type Sheet } from "../charts/sheet.ts";
import { useSheet } from "../charts/use-sheet.ts";

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
  /** What of it answers the question before still. */
  readonly behind: readonly Part[];
}

type Part = "tiles" | "endpoints" | "charts" | "findings" | "failures";

/** What is to be shown. */
interface Request {
  readonly scope: Scope;
  readonly range: Range;
  /** Changes when there are new data. */
  readonly version: number;
  readonly isHeatmap: boolean;
  /** Seconds of every point of the charts, where somebody has chosen them. */
  readonly chosenSeconds: number | undefined;
  /** Which rows of the table are asked for; `undefined`: all. */
  readonly rows: RowsRequest | undefined;
  /** Requests of the scope, where they are known without asking. */
  readonly expectedRequests: number | undefined;
}

const PARTS: readonly Part[] = ["tiles", "endpoints", "charts", "findings", "failures"];

/** So many tell the seconds of failures apart in charts of any usual width. */
const FAILURE_WINDOWS = 1200;

/** Asks for all that is shown of a scope, and again when `version` changes. */
export function useScopeAnswers(request: Request): ScopeAnswers {
  const { scope, range, version } = request;
  const question = JSON.stringify(scope);
  const summary = useSummary(request);
  // Another order of the rows changes nothing of all the rest.
  const isSummaryFresh = summary.question?.startsWith(`${question} `) ?? false;
  const overall = useOverall(request, isSummaryFresh ? summary.value : undefined);
  const drawn = useSheet(
    request,
    drawnRequests(request, overall.fresh?.count, isSummaryFresh ? summary.value : undefined),
  );
  const users = useAnswer("users", question, (signal) => askUsers(scope, signal), { version });
  // Of many endpoints these take a while: tiles, table and charts go first.
  const isDrawn = drawn.sheet !== undefined || drawn.error !== undefined;
  const later = isSummaryFresh && isDrawn ? question : "";
  const findings = useAnswer("findings", later, (signal) => askFindings(scope, signal), {
    version,
  });
  const windowSeconds = Math.max(1, Math.ceil((range.until - range.from) / FAILURE_WINDOWS));
  const failures = useAnswer(
    "failures",
    later,
    (signal) => askFailures(scope, windowSeconds, signal),
    { version },
  );
  const all = [summary, overall, drawn, users, findings, failures];
  const { sheet } = drawn;
  const isBehind: Readonly<Record<Part, boolean>> = {
    tiles: overall.fresh === undefined,
    endpoints: !isSummaryFresh,
    charts: sheet !== undefined && !isOfSame(sheet, request),
    findings: findings.question !== question,
    failures: failures.question !== question,
  };
  return {
    summary: summary.value,
    overall: overall.shown,
    sheet: drawn.sheet,
    users: users.value ?? [],
    findings: findings.value,
    failures: failures.value,
    problem: all.find(({ error }) => error !== undefined)?.error,
    behind: PARTS.filter((part) => isBehind[part]),
  };
}

/** The requests of each endpoint that has a line, or of all as one, as far as they are known. */
function drawnRequests(
  { scope: { hashes }, isHeatmap, expectedRequests }: Request,
  all: number | undefined,
  summary: Summary | undefined,
): readonly number[] | undefined {
  if (isHeatmap || !hasLines(hashes)) {
    const requests = all ?? expectedRequests;
    return requests === undefined ? undefined : [requests];
  }
  if (all === undefined || summary === undefined) return undefined;
  const known = new Map(summary.endpoints.map(({ hash, count }) => [hash, count]));
  // Of very many endpoints not all are listed.
  return hashes.map((hash) => known.get(hash) ?? all / hashes.length);
}

/** What is listed; what is selected changes nothing of it. */
function useSummary({ scope, version, rows }: Request): Asked<Summary> {
  const question = summaryQuestion({ scope, rows });
  return useAnswer("summary", question, (signal) => askSummary(scope, signal, rows), { version });
}

function summaryQuestion({ scope, rows }: Pick<Request, "scope" | "rows">): string {
  return `${JSON.stringify(scope)} ${JSON.stringify(rows) ?? ""}`;
}

interface Overall {
  /** Those of the scope, once they have come. */
  readonly fresh: OverallFigures | undefined;
  /** They stay until the next ones have come. */
  readonly shown: OverallFigures | undefined;
  readonly error: ApiError | undefined;
}

/** The figures of what is selected; of everything the summary tells them, and nothing more is asked. */
function useOverall({ scope, version }: Request, summary: Summary | undefined): Overall {
  const question = scope.hashes.length === 0 ? "" : JSON.stringify(scope);
  const selected = useAnswer("overall", question, (signal) => askOverall(scope, signal), {
    version,
  });
  const ofSelected = selected.question === question ? selected.value : undefined;
  const fresh = question === "" ? summary && overallOf(summary) : ofSelected;
  const last = useRef<OverallFigures>(undefined);
  if (fresh !== undefined) last.current = fresh;
  return { fresh, shown: last.current, error: question === "" ? undefined : selected.error };
}
