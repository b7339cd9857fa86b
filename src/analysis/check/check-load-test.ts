import type {
  ComparedRow,
  Comparison,
  ComparedQuality,
  LoadTestComparison,
} from "../../api/compare.ts";
import type { SummaryFigures } from "../../api/summary.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { hashOfLabel } from "../../series/endpoint-selection.ts";
import {
  type CheckedHistory,
  type CheckedLimit,
  type Limit,
  type LimitOutcome,
  figuresIn,
  isBeyond,
  kindOf,
  measuredBy,
  percentsIn,
  possibleValues,
  remarksFor,
  withLabel,
} from "./limit.ts";
import { withDoubt, withDoubtOfChange, withDoubtOfMeasure, withDoubtOfValue } from "./doubt.ts";
import { type BoundsOf, FEWEST_ROWS, isAnyUnread, readBounds } from "./unread-rows.ts";
import { type LoadTestReader, readSteadyRange } from "../load-test-reader.ts";
import type { Trend, TrendFigure, TrendChange, TrendValues } from "../../api/trend.ts";
import { comparableValues, LEVEL_MIN, scaledFigure } from "../trend/trend-figures.ts";
import { detectableChange, GROWTH_ERROR } from "../compare/run-noise.ts";
import { chanceOfSplit } from "../trend/chance.ts";
import { checkMeasure, measureOf, readMeasures } from "./check-measures.ts";

export interface CheckQuery {
  readonly later: ComparedPart;
  /** Needed only for limits on growth. */
  readonly base: ComparedPart | undefined;
  /** Needed only for limits on changes. */
  readonly history: CheckedHistory | undefined;
  readonly limits: readonly Limit[];
}

/** The labels that a limit is checked on, each by itself; `undefined`: all selected endpoints together. */
export type LabelsOf = (limit: Limit) => readonly (string | undefined)[];

/** Checks a limit on the label that it has. Fast enough for a million of them. */
export type Check = (limit: Limit) => CheckedLimit;

type Judged = Omit<CheckedLimit, "quality">;

/** Reads what it takes to check the limits. Throws what a comparison throws. */
export async function prepareCheck(
  reader: LoadTestReader,
  { base, later, history, limits }: CheckQuery,
  labelsOf: LabelsOf = ({ label }) => [label],
): Promise<Check> {
  const range = await readSteadyRange(reader, later);
  // With very many endpoints, rows are read only if a limit is about one.
  const isOfEndpoint = limits.some((limit) => limit.kind === "value" && hasEndpoint(limit));
  const rows = isOfEndpoint ? undefined : FEWEST_ROWS;
  const percents = percentsIn(limits);
  const requested = percents.length === 0 ? {} : { percents };
  const query = { ...later, range, apdexMicros: undefined, rows, ...requested };
  const asked = await reader.summarise(query);
  const isBounded = limits.some(hasEndpoint) && isAnyUnread(asked);
  const whole = { ...query, rows: isBounded ? undefined : rows };
  const summary = isBounded && !isOfEndpoint ? await reader.summarise(whole) : asked;
  const grown = limits.some(({ kind }) => kind === "growth");
  const comparison =
    grown && base !== undefined ? await reader.compare({ base, later }) : undefined;
  const labelsOfKind = (kind: Limit["kind"]) =>
    limits.filter((each) => each.kind === kind).flatMap(labelsOf);
  const judge =
    history === undefined
      ? undefined
      : await readHistory(reader, { later, history, labels: labelsOfKind("change") });
  const errorProbability = GROWTH_ERROR / labelsOfKind("growth").length;
  const measures = await readMeasures(reader, { ...later, range }, limits);
  const boundsOf = await readBounds(summary, limits, (more) =>
    reader.summarise({ ...whole, ...more }),
  );
  const baseBoundsOf =
    comparison === undefined ? undefined : await readBaseBounds(reader, base, limits);
  const judged = (limit: Limit): Judged => {
    if (limit.selector !== undefined) {
      const values = measureOf(limit, measures)?.count ?? 0;
      return withDoubtOfMeasure(checkMeasure(limit, measures), summary, values);
    }
    const possible = boundsOf(limit);
    if (limit.kind === "value") {
      return withDoubtOfValue(checkValue(limit, summary), possible, summary.unread);
    }
    return limit.kind === "growth"
      ? withDoubt(checkGrowth(limit, comparison, errorProbability), possible, baseBoundsOf?.(limit))
      : withDoubtOfChange(checkChange(limit, judge), possible, figuresIn(summary, limit));
  };
  return (limit) => ({ ...judged(limit), quality: qualityOf(limit, summary, comparison) });
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

async function readBaseBounds(
  reader: LoadTestReader,
  base: ComparedPart | undefined,
  limits: readonly Limit[],
): Promise<BoundsOf | undefined> {
  if (base === undefined) return undefined;
  const range = await readSteadyRange(reader, base);
  const grown = limits.filter(({ kind }) => kind === "growth");
  const query = { ...base, range, apdexMicros: undefined };
  return readBounds(await reader.summarise(query), grown, (more) =>
    reader.summarise({ ...query, ...more }),
  );
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
  const measured = comparison?.change;
  const between = comparison?.betweenRuns;
  const detectable =
    figure === undefined || between === undefined
      ? undefined
      : detectableChange(figure, between, errorProbability);
  const outcome =
    row === undefined ? "unmeasured" : outcomeOfGrowth(limit, row, comparison, errorProbability);
  const { noise } = compared ?? {};
  return { limit, outcome, measured, comparison, detectable, noise };
}

function outcomeOfGrowth(
  limit: Limit,
  { count }: ComparedRow,
  comparison: Comparison = {},
  errorProbability: number,
): LimitOutcome {
  const { base, value, change, isSignificant } = comparison;
  if (count.value === 0) return "unmeasured";
  if (value === undefined || (base === undefined && count.base > 0)) return "notEvaluated";
  if (change === undefined || isSignificant === undefined) return "unjudged";
  if (!isBeyond(change, limit)) return "kept";
  return isGrowthSure(comparison, errorProbability) ? "broken" : "inconclusive";
}

/** Whether noise between runs, of which that within them is part, does not explain it; if it is unknown, that within the two runs. */
function isGrowthSure(
  { value = 0, isSignificant, betweenRuns }: Comparison,
  errorProbability: number,
): boolean {
  if (betweenRuns === undefined) return isSignificant === true;
  const { level, chance } = betweenRuns;
  return value > level && chance <= errorProbability;
}

interface ReadHistory {
  /** `undefined` if no limit is about all endpoints. */
  readonly whole: Trend | undefined;
  /** `undefined` if no limit names an endpoint. */
  readonly endpoints: Trend | undefined;
  readonly hasBaseline: boolean;
}

interface HistoryQuery extends Pick<CheckQuery, "later"> {
  readonly history: CheckedHistory;
  /** See `LabelsOf`. */
  readonly labels: readonly (string | undefined)[];
}

/** Reads the history up to the checked load test. Throws what `readTrend` throws. */
async function readHistory(
  reader: Pick<LoadTestReader, "trend">,
  { later, history, labels }: HistoryQuery,
): Promise<ReadHistory> {
  const { loadTestId: upTo, selection, skipStartSeconds, skipEndSeconds } = later;
  const series = { ...history, upTo, skipStartSeconds, skipEndSeconds };
  // Evaluated among the requested endpoints only, so that others do not hide them.
  const hashes = labels.flatMap((label) => (label === undefined ? [] : [hashOfLabel(label)]));
  const whole = labels.includes(undefined)
    ? await reader.trend({ ...series, selection })
    : undefined;
  const endpoints =
    hashes.length === 0
      ? undefined
      : await reader.trend({
          ...series,
          selection: { by: "hashes", hashes: [...new Set(hashes)] },
        });
  return { whole, endpoints, hasBaseline: (whole ?? endpoints)?.since !== undefined };
}

function checkChange(limit: Limit, history: ReadHistory | undefined): Judged {
  const figure = kindOf(limit.figure).trend;
  if (history === undefined || figure === undefined) return { limit, outcome: "unmeasured" };
  const hash = limit.label === undefined ? undefined : hashOfLabel(limit.label);
  const trend = hash === undefined ? history.whole : history.endpoints;
  const found = trend && valuesIn(trend, hash);
  if (trend === undefined || found === undefined || hasNoLast(found.count)) {
    return { limit, outcome: "unmeasured" };
  }
  const { [figure]: values, count: counts } = found;
  if (hasNoLast(values)) return { limit, outcome: "notEvaluated" };
  if (lengthOf(values) < 2 * LEVEL_MIN) {
    const isEnough = lengthOf(counts) >= 2 * LEVEL_MIN;
    return { limit, outcome: isEnough ? "notEvaluated" : "unjudged" };
  }
  const { hasBaseline } = history;
  return evaluatedChange(limit, standingChange(trend, { hash, figure, hasBaseline }));
}

function hasNoLast(values: readonly (number | null)[]): boolean {
  return (values.at(-1) ?? null) === null;
}

function lengthOf(values: readonly (number | null)[]): number {
  return values.filter((value) => value !== null).length;
}

function valuesIn({ overall, endpoints, loadTests }: Trend, hash: string | undefined) {
  const values = hash === undefined ? overall : endpoints.find((each) => each.hash === hash);
  return values && comparableValues(values, loadTests);
}

function evaluatedChange(limit: Limit, change: TrendChange | undefined): Judged {
  if (change === undefined) return { limit, outcome: "kept" };
  const outcome = isBeyond(sizeOf(change), limit) ? "broken" : "kept";
  return { limit, outcome, measured: change.change, change };
}

/** Magnitude of a change; infinite if the value was 0. */
function sizeOf({ figure, change, before, after }: TrendChange): number {
  if (figure === "errRate") return Math.abs(after - before);
  return change === undefined ? Infinity : Math.abs(change);
}

interface StandingQuery {
  /** `undefined`: all endpoints. */
  readonly hash: string | undefined;
  readonly figure: TrendFigure;
  /** Whether a chosen baseline starts the history: changes count until it moves. Otherwise a lasting level is the new normal. */
  readonly hasBaseline: boolean;
}

/** Without a baseline, a level this many load tests long is normal. */
const NORMAL_AFTER = 10;

/** Levels differ if noise explains the difference in at most 1 of 20 cases. */
const SAME_CHANCE = 0.05;

/** The last change; with a baseline, the net effect of all changes since. `undefined` if nothing changed. */
export function standingChange(
  trend: Trend,
  { hash, figure, hasBaseline }: StandingQuery,
): TrendChange | undefined {
  const changes = trend.changes.filter((each) => each.hash === hash && each.figure === figure);
  const [latest, first] = [changes[0], changes.at(-1)];
  if (latest === undefined || first === undefined) return undefined;
  if (!hasBaseline) return latest.loadTestsAfter <= NORMAL_AFTER ? latest : undefined;
  if (latest === first) return latest;
  const values = valuesIn(trend, hash);
  if (values === undefined) return undefined;
  const chance = chanceOfBoth(values, figure, [first.loadTestsBefore, latest.loadTestsAfter]);
  if (chance >= SAME_CHANCE) return undefined;
  const [before, after] = [first.before, latest.after];
  const change = figure === "errRate" ? after - before : after / before - 1;
  return { ...latest, before, after, change, chance, loadTestsBefore: first.loadTestsBefore };
}

function chanceOfBoth(
  values: TrendValues,
  figure: TrendFigure,
  [first, last]: readonly [number, number],
): number {
  const { values: scaled, ...precision } = scaledFigure(figure, values);
  const both = Float64Array.of(...scaled.slice(0, first), ...scaled.slice(-last));
  return chanceOfSplit({ values: both, ...precision }, { from: 0, at: first, until: first + last });
}
