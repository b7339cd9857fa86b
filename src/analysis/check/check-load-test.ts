import type { ComparedQuality, LoadTestComparison } from "../../api/compare.ts";
import type { SummaryFigures } from "../../api/summary.ts";
import { unless } from "../../model/errors.ts";
import type { SecondRange } from "../../model/columns.ts";
import { ALL_ENDPOINTS, isEverything } from "../../series/endpoint-selection.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { GROWTH_ERROR } from "../compare/run-noise.ts";
import { type LoadTestReader, readSteadyRange } from "../load-test-reader.ts";
import { checkChange, readHistory } from "./check-history.ts";
import { prepareWindows, spanOf } from "./check-windows.ts";
import {
  growthBetween,
  withDoubt,
  withDoubtOfChange,
  withDoubtOfValue,
  withDoubtOfWindow,
} from "./doubt.ts";
import { type Omission, omissionRemarks, possibleTimes, readOmission } from "./omitted-requests.ts";
import { judgeGrowth } from "./judge-growth.ts";
import { prepareMeasures } from "./judge-measures.ts";
import {
  type CheckedHistory,
  type CheckedLimit,
  type Judged,
  type LabelsOf,
  type Limit,
  figuresIn,
  isBeyond,
  kindOf,
  measuredBy,
  percentsIn,
  possibleValues,
  remarksFor,
  withLabel,
} from "./limit.ts";
import { type BoundsOf, FEWEST_ROWS, isAnyUnread, readBounds } from "./unread-rows.ts";

export interface CheckQuery {
  readonly later: ComparedPart;
  /** Where windows are judged. @default the range of `later`, without ramps */
  readonly rangeOfWindows?: SecondRange | undefined;
  /** Needed only for limits on growth. */
  readonly base: ComparedPart | undefined;
  /** Needed only for limits on changes. */
  readonly history: CheckedHistory | undefined;
  readonly limits: readonly Limit[];
}

interface PreparedQuery extends CheckQuery {
  /** Checks of growth in all: noise breaks any of them with the error probability. */
  readonly growths: number;
}

/** Checks a limit on the label that it has. Fast enough for a million of them. */
export type Check = (limit: Limit) => CheckedLimit;

/** Reads what it takes to check the limits. Throws what a comparison throws. */
export async function prepareCheck(
  reader: LoadTestReader,
  { base, later, rangeOfWindows, history, limits, growths }: PreparedQuery,
  labelsOf: LabelsOf = ({ label }) => [label],
): Promise<Check> {
  const { range, summary, omission, boundsOf, ofWindows } = await readChecked(
    reader,
    later,
    limits,
  );
  const requests = limits.filter((limit) => !isOfMeasure(limit));
  const comparison = await compareIfGrown(reader, { base, later }, requests);
  const labelsOfKind = (kind: Limit["kind"], among: readonly Limit[]) =>
    among.filter((each) => each.kind === kind).flatMap(labelsOf);
  const judge =
    history === undefined
      ? undefined
      : await readHistory(reader, { later, history, labels: labelsOfKind("change", requests) });
  const errorProbability = GROWTH_ERROR / growths;
  const ofBase = limits.some(isGrowth)
    ? await unless("unknown-facet", () => readBase(reader, base, limits))
    : undefined;
  const whereJudged = rangeOfWindows ?? range;
  const hasWindows = limits.some(({ window }) => window !== undefined);
  const span = hasWindows
    ? (whereJudged ?? (await readRunSpan(reader, later, summary)))
    : undefined;
  const ofMeasures = await prepareMeasures(reader, {
    later,
    range,
    span,
    base,
    history,
    errorProbability,
    limits: limits.filter(isOfMeasure),
    summaries: [summary, ofBase?.summary ?? []].flat(),
  });
  const windows = { part: later, range: whereJudged, span, summary, limits, labelsOf, omission };
  const overWindows = await prepareWindows(reader, windows);
  const judgedAsRead = (limit: Limit): Judged => {
    const possible = boundsOf(limit);
    if (limit.kind === "value") {
      return withDoubtOfValue(checkValue(limit, summary), possible, summary.unread);
    }
    return isGrowth(limit)
      ? withDoubt(
          checkGrowth(limit, comparison, errorProbability),
          possible,
          ofBase?.boundsOf(limit),
        )
      : withDoubtOfChange(checkChange(limit, judge), possible, figuresIn(summary, limit));
  };
  const judged = (limit: Limit): Judged => {
    if (isOfMeasure(limit)) return ofMeasures(limit);
    if (limit.window !== undefined) {
      return withDoubtOfWindow(overWindows(limit), ofWindows.boundsOf(limit));
    }
    return withDoubtOfOmission(judgedAsRead(limit), summary, omission);
  };
  const remarks = omissionRemarks(omission);
  return (limit) => {
    const read = limit.window === undefined ? summary : ofWindows.summary;
    const quality = qualityOf(limit, read, comparison);
    const value = isOfMeasure(limit) ? quality.value : [...quality.value, ...remarks];
    return { ...judged(limit), quality: { ...quality, value } };
  };
}

/** Reads the figures of what is checked, with what could not be read of it. Throws what `LoadTestReader.summarise` throws. */
async function readChecked(reader: LoadTestReader, part: ComparedPart, limits: readonly Limit[]) {
  const range = await readSteadyRange(reader, part);
  // With very many endpoints, rows are read only if a limit is about one.
  const isOfEndpoint = limits.some((limit) => limit.kind === "value" && hasEndpoint(limit));
  const rows = isOfEndpoint ? undefined : FEWEST_ROWS;
  const percents = percentsIn(limits);
  const requested = percents.length === 0 ? {} : { percents };
  const query = { ...part, range, apdexMicros: undefined, rows, ...requested };
  const asked = await reader.summarise(query);
  const omission = await readOmission(reader, { loadTestId: part.loadTestId, range }, limits);
  const isDoubtful = isAnyUnread(asked) || omission !== undefined;
  const isBounded = limits.some(hasEndpoint) && isDoubtful;
  const whole = { ...query, rows: isBounded ? undefined : rows };
  const summary = isBounded && !isOfEndpoint ? await reader.summarise(whole) : asked;
  const read = { summary, boundsOf: await boundsIn(reader, { summary, query: whole, limits }) };
  const hasWindows = limits.some(({ window }) => window !== undefined);
  const ofWindows =
    hasWindows && hasUndated(summary)
      ? await readDated(reader, { ...read, query: whole, limits })
      : read;
  return { range, omission, ...read, ofWindows };
}

/** From the first to the last request of the run, whatever is selected: windows without a selected request are empty, not absent. */
async function readRunSpan(
  reader: LoadTestReader,
  { loadTestId, selection }: ComparedPart,
  summary: SummaryFigures,
): Promise<SecondRange | undefined> {
  const all = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };
  const { overall } = isEverything(selection)
    ? summary
    : await reader.summarise({ loadTestId, ...all, rows: FEWEST_ROWS });
  return spanOf({ overall, endpoints: [] }) ?? spanOf(summary);
}

interface ReadSummary {
  readonly summary: SummaryFigures;
  readonly query: Parameters<LoadTestReader["summarise"]>[0];
  readonly limits: readonly Limit[];
}

function boundsIn(
  reader: LoadTestReader,
  { summary, query, limits }: ReadSummary,
): Promise<BoundsOf> {
  return readBounds(summary, limits, (more) => reader.summarise({ ...query, ...more }));
}

/** No window has requests at an unknown second: as in a part of the run, they count as rejected. */
async function readDated(reader: LoadTestReader, { summary, query, limits }: ReadSummary) {
  const dated = { ...query, range: spanOf(summary) };
  const own = await reader.summarise(dated);
  return { summary: own, boundsOf: await boundsIn(reader, { summary: own, query: dated, limits }) };
}

/** Throughput is that of requests at known seconds, rounded to six decimals. */
function hasUndated({ overall: { count, range, reqPerSec } }: SummaryFigures): boolean {
  return reqPerSec !== null && count > (reqPerSec + 1e-6) * range;
}

function isOfMeasure({ selector }: Limit): boolean {
  return selector !== undefined;
}

function isGrowth({ kind }: Limit): boolean {
  return kind === "growth";
}

async function compareIfGrown(
  reader: LoadTestReader,
  { base, later }: Pick<CheckQuery, "base" | "later">,
  limits: readonly Limit[],
): Promise<LoadTestComparison | undefined> {
  if (base === undefined || !limits.some(isGrowth)) return undefined;
  return reader.compare({ base, later });
}

function hasEndpoint({ label, each }: Limit): boolean {
  return (label ?? each) !== undefined;
}

function qualityOf(
  limit: Limit,
  summary: SummaryFigures,
  comparison: LoadTestComparison | undefined,
): ComparedQuality {
  const figures = figuresIn(summary, limit);
  if (limit.kind !== "growth" || comparison === undefined) {
    return { base: [], value: remarksFor(limit, figures, summary.quality) };
  }
  const { base, value } = comparison.quality;
  return { base: remarksFor(limit, figures, base), value: remarksFor(limit, figures, value) };
}

async function readBase(
  reader: LoadTestReader,
  base: ComparedPart | undefined,
  limits: readonly Limit[],
): Promise<{ readonly summary: SummaryFigures; readonly boundsOf: BoundsOf } | undefined> {
  if (base === undefined) return undefined;
  const range = await readSteadyRange(reader, base);
  const grown = limits.filter(({ kind }) => kind === "growth");
  const query = { ...base, range, apdexMicros: undefined };
  const summary = await reader.summarise(query);
  return { summary, boundsOf: await boundsIn(reader, { summary, query, limits: grown }) };
}

function checkValue(limit: Limit, summary: SummaryFigures): Judged {
  const figures = figuresIn(summary, limit);
  const measured = figures === undefined ? undefined : measuredBy(limit, figures);
  const checked = { limit, measured };
  if (figures === undefined || measured === undefined) {
    return { ...checked, outcome: figures?.count ? "notEvaluated" : "unmeasured" };
  }
  const [least, most] = possibleValues(limit, measured, figures);
  const [isLeast, isMost] = [isBeyond(least, limit), isBeyond(most, limit)];
  const outcome = isLeast && isMost ? "broken" : "kept";
  return { ...checked, outcome, isWithinPrecision: isLeast !== isMost };
}

function checkGrowth(
  limit: Limit,
  compared: LoadTestComparison | undefined,
  errorProbability: number,
): Judged {
  const row =
    limit.label === undefined
      ? compared?.overall
      : compared && withLabel(compared.endpoints, limit.label);
  const figure = kindOf(limit.figure).compared;
  const comparison = figure === undefined ? undefined : row?.[figure];
  const { noise } = compared ?? {};
  const judged = { limit, measured: comparison?.change, comparison, noise };
  if (row === undefined) return { ...judged, outcome: "unmeasured" };
  return { ...judged, ...judgeGrowth(limit, { figure, row, comparison, errorProbability }) };
}

/** A limit on response times is not evaluated if, with the requests that the generator omitted, it would break or there might be a change. */
function withDoubtOfOmission(judged: Judged, summary: SummaryFigures, omission: Omission): Judged {
  const { limit, outcome, comparison } = judged;
  const figures = figuresIn(summary, limit);
  if (omission === undefined || figures === undefined || outcome === "broken") return judged;
  const times = possibleTimes(limit, figures, omission);
  if (times === undefined) return judged;
  if (limit.kind === "change") {
    const doubted = withDoubtOfChange(judged, times, figures);
    return doubted === judged ? judged : { ...doubted, isOmitted: true };
  }
  const base = comparison?.base;
  if (limit.kind === "growth" && base === undefined) return judged;
  const possible = base === undefined ? times : growthBetween(limit, [base, base], times);
  if (!isBeyond(possible[1], limit)) return judged;
  return { ...judged, outcome: "notEvaluated", possible, isOmitted: true };
}
