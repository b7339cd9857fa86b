import { useRef } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import {
  askFailures,
  askFindings,
  askOverall,
  askSummary,
  askUsers,
  type Failures,
  type Incident,
  type OverallFigures,
  type RowsRequest,
  type Scope,
  overallOf,
  type Summary,
  type Users,
} from "../../api/figures.ts";
import { askFacets, type Facet } from "../../api/facets.ts";
import { type Asked, useAnswer } from "../../api/use-answer.ts";
import { drawnLines } from "../charts/drawn-lines.ts";
import type { Resolutions } from "../charts/resolutions.ts";
import type { Range } from "./range.ts";
import { isOfSame, type Sheet, type SheetRequest } from "../charts/sheet.ts";
import { useSheet } from "../charts/use-sheet.ts";
import { REST_MS, useSlowly } from "../use-slowly.ts";

/** The service's answers about a scope, as far as they have arrived. */
export interface ScopeAnswers {
  /** Of the whole run, whatever is selected. */
  readonly facets: readonly Facet[] | undefined;
  readonly summary: Summary | undefined;
  readonly overall: OverallFigures | undefined;
  /** Data over time. */
  readonly sheet: Sheet | undefined;
  readonly users: Users;
  readonly findings: readonly Incident[] | undefined;
  readonly failures: Failures | undefined;
  /** The first error. */
  readonly problem: ApiError | undefined;
  /** The parts that still belong to the previous request. */
  readonly behind: readonly Part[];
}

type Part = "tiles" | "endpoints" | "charts" | "findings" | "failures";

interface Request extends Omit<SheetRequest, keyof Resolutions | "lines"> {
  /** Length of every chart point in seconds, if chosen by the user. */
  readonly chosenSeconds: number | undefined;
  /** Requested table rows; `undefined`: all. */
  readonly rows: RowsRequest | undefined;
  /** Whether an incident is open. */
  readonly isIncident: boolean;
  /** Requests in the scope, if known without a request. */
  readonly expectedRequests: number | undefined;
}

const PARTS: readonly Part[] = ["tiles", "endpoints", "charts", "findings", "failures"];

/** Enough to resolve the seconds of failures in charts of any usual width. */
const FAILURE_WINDOWS = 1200;

/** How often users are requested again while a load test runs. */
const USERS_MS = 10_000;

/** Requests everything shown of a scope, again when `version` changes. */
export function useScopeAnswers(request: Request): ScopeAnswers {
  const { scope } = request;
  const question = JSON.stringify(scope);
  const version = useSlowly(request.version, REST_MS);
  const summary = useSummary(request);
  // Another row order does not affect the rest.
  const isSummaryFresh = summary.question?.startsWith(`${question} `) ?? false;
  const overall = useOverall(request, isSummaryFresh ? summary.value : undefined);
  const { facets, drawing, drawn } = useDrawn(
    request,
    version,
    overall.fresh?.count,
    isSummaryFresh ? summary.value : undefined,
  );
  const users = useAnswer("users", question, (signal) => askUsers(scope, signal), {
    version: useSlowly(request.version, USERS_MS),
  });
  // For many endpoints these take a while: tiles, table and charts go first.
  const isDrawn = drawn.sheet !== undefined || drawn.error !== undefined;
  const later = isSummaryFresh && isDrawn ? question : "";
  const { findings, findingsQuestion } = useFindings(request, later, version);
  const failures = useFailures(request, later, version, drawn.sheet);
  const all = [summary, overall, facets, drawn, users, findings, failures];
  const { sheet } = drawn;
  const isBehind: Readonly<Record<Part, boolean>> = {
    tiles: overall.fresh === undefined,
    endpoints: !isSummaryFresh,
    charts: sheet !== undefined && !isOfSame(sheet, drawing),
    findings: findings.question !== findingsQuestion,
    failures: failures.question !== question,
  };
  return {
    facets: facets.value,
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

/** Of what there are findings: behind an open incident stay those shown before, with their numbers. */
function useFoundScope({ scope, isIncident }: Pick<Request, "scope" | "isIncident">): Scope {
  const before = useRef<Scope>(undefined);
  if (!isIncident) before.current = scope;
  return before.current ?? { ...scope, from: undefined, until: undefined, hashes: [] };
}

function useFindings(request: Request, later: string, version: number) {
  const found = useFoundScope(request);
  const findingsQuestion = JSON.stringify(found);
  const findings = useAnswer(
    "findings",
    later === "" ? "" : findingsQuestion,
    (signal) => askFindings(found, signal),
    { version },
  );
  return { findings, findingsQuestion };
}

function useFailures(
  { scope, range }: Request,
  question: string,
  version: number,
  sheet: Sheet | undefined,
): Asked<Failures> {
  const windowSeconds = failureWindow(range, sheet?.countResolution ?? 1);
  return useAnswer(
    `failures ${windowSeconds}`,
    question,
    (signal) => askFailures(scope, windowSeconds, signal),
    { version },
  );
}

/** A window in seconds of which the points of the charts are multiples. */
function failureWindow({ from, until }: Range, pointSeconds: number): number {
  const least = Math.max(1, (until - from) / FAILURE_WINDOWS);
  let seconds = pointSeconds;
  for (let each = pointSeconds; each >= least; each--)
    if (pointSeconds % each === 0) seconds = each;
  return seconds;
}

/** The data over time, once the lines are known: `all` counts requests. */
function useDrawn(
  request: Request,
  version: number,
  all: number | undefined,
  summary: Summary | undefined,
) {
  const { scope } = request;
  const { id } = scope;
  const facets = useAnswer("facets", id, (signal) => askFacets(id, signal), { version });
  const lines = drawnLines(scope, facets.value);
  const drawing = { ...request, lines: lines ?? [] };
  const drawn = useSheet(drawing, lines && drawnRequests(drawing, all, summary));
  return { facets, drawing, drawn };
}

/** Requests of each line, or overall, as far as known. */
function drawnRequests(
  { lines, isHeatmap, expectedRequests }: Request & Pick<SheetRequest, "lines">,
  all: number | undefined,
  summary: Summary | undefined,
): readonly number[] | undefined {
  if (isHeatmap || lines.length === 0) {
    const requests = all ?? expectedRequests;
    return requests === undefined ? undefined : [requests];
  }
  if (all === undefined || summary === undefined) return undefined;
  const known = new Map(summary.endpoints.map(({ hash, count }) => [hash, count]));
  const ofValues = lines.reduce((sum, { requests = 0 }) => sum + requests, 0);
  return lines.map(({ key, requests }) => {
    if (requests !== undefined) return (all * requests) / ofValues;
    // Of very many endpoints not all are listed.
    return known.get(key) ?? all / lines.length;
  });
}

/** The listed endpoints, independent of the selection. */
function useSummary({ scope, version, rows }: Request): Asked<Summary> {
  const question = summaryQuestion({ scope, rows });
  return useAnswer("summary", question, (signal) => askSummary(scope, signal, rows), { version });
}

function summaryQuestion({ scope, rows }: Pick<Request, "scope" | "rows">): string {
  return `${JSON.stringify(scope)} ${JSON.stringify(rows) ?? ""}`;
}

interface Overall {
  /** Those of the scope, once they have arrived. */
  readonly fresh: OverallFigures | undefined;
  /** Kept until the next ones arrive. */
  readonly shown: OverallFigures | undefined;
  readonly error: ApiError | undefined;
}

/** The selection's figures; without a selection, those of the summary, without a request. */
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
