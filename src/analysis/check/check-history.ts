import type { Trend, TrendChange, TrendFigure, TrendValues } from "../../api/trend.ts";
import { hashOfLabel, ofHashes } from "../../series/endpoint-selection.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import { chanceOfSplit } from "../trend/chance.ts";
import { changeBetween } from "../trend/read-trend.ts";
import { comparableValues, LEVEL_MIN, scaledFigure } from "../trend/trend-figures.ts";
import { type CheckedHistory, isBeyond, type Judged, kindOf, type Limit } from "./limit.ts";

interface ReadHistory {
  /** `undefined` if no limit is about all endpoints. */
  readonly whole: Trend | undefined;
  /** `undefined` if no limit names an endpoint. */
  readonly endpoints: Trend | undefined;
  readonly hasBaseline: boolean;
}

interface HistoryQuery {
  readonly later: ComparedPart;
  readonly history: CheckedHistory;
  /** See `LabelsOf`. */
  readonly labels: readonly (string | undefined)[];
}

/** Reads the history up to the checked load test. Throws what `readTrend` throws. */
export async function readHistory(
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
          selection: ofHashes(selection, [...new Set(hashes)]),
        });
  return { whole, endpoints, hasBaseline: (whole ?? endpoints)?.since !== undefined };
}

export function checkChange(limit: Limit, history: ReadHistory | undefined): Judged {
  const figure = kindOf(limit.figure).trend;
  const hash = limit.label === undefined ? undefined : hashOfLabel(limit.label);
  const trend = hash === undefined ? history?.whole : history?.endpoints;
  if (history === undefined || trend === undefined || figure === undefined) {
    return { limit, outcome: "unmeasured" };
  }
  return judgeChange(limit, trend, { hash, figure, hasBaseline: history.hasBaseline });
}

export function judgeChange(limit: Limit, trend: Trend, query: StandingQuery): Judged {
  const found = valuesIn(trend, query.hash);
  if (found === undefined || hasNoLast(found.count)) return { limit, outcome: "unmeasured" };
  const { [query.figure]: values, count: counts } = found;
  if (hasNoLast(values)) return { limit, outcome: "notEvaluated" };
  if (lengthOf(values) < 2 * LEVEL_MIN) {
    const isEnough = lengthOf(counts) >= 2 * LEVEL_MIN;
    return { limit, outcome: isEnough ? "notEvaluated" : "unjudged" };
  }
  return evaluatedChange(limit, standingChange(trend, query));
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
  const { change: _, ...about } = latest;
  const change = changeBetween(figure, before, after);
  const size = change === undefined ? {} : { change };
  return { ...about, before, after, ...size, chance, loadTestsBefore: first.loadTestsBefore };
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
