/** What the figures of a load test may have been, had all its rows been readable. */

import type { Figures, SummaryFigures } from "../../api/summary.ts";
import type { SummaryQuery } from "../../query/open-summary.ts";
import { rankOf } from "../../model/histogram.ts";
import {
  type Bounds,
  figuresIn,
  type Limit,
  type LimitedFigure,
  measuredBy,
  percentOfFigure,
  possibleValues,
} from "./limit.ts";

interface Unread {
  /** Requests that may be missing, each with any outcome and time; infinite if the end of a file is missing. */
  readonly missing: number;
  /** Counted requests that may be none. */
  readonly surplus: number;
  /** Counted requests that may have failed after all, and failed ones that may have passed. */
  readonly moreFailed: number;
  readonly fewerFailed: number;
  /** Counted requests whose response time could not be read. */
  readonly untimed: number;
}

/** Returns the bounds of the figure of a limit; `undefined` if every row was read, or if what was not is allowed. */
export type BoundsOf = (limit: Limit) => Bounds | undefined;

type Summarise = (more: Pick<SummaryQuery, "percents" | "rows">) => Promise<SummaryFigures>;

export const FEWEST_ROWS = { limit: 1, sort: "label", order: "ascending" } as const;

/** Percentiles in one question, and questions: further bounds are those of the next known percentiles. */
const PERCENTS_MAX = 10;
const QUESTIONS_MAX = 3;

/** Endpoints whose figures are held several times. */
const ENDPOINTS_HELD = 1000;

export function isAnyUnread({ unread }: SummaryFigures): boolean {
  const { rejectedRows, untimedRows, repeatedRows, discrepancies, isTruncated } = unread;
  return isTruncated || rejectedRows + untimedRows + repeatedRows + discrepancies.length > 0;
}

/** `summarise` asks for more of `summary`. Throws what it throws. */
export async function readBounds(
  summary: SummaryFigures,
  limits: readonly Limit[],
  summarise: Summarise,
): Promise<BoundsOf> {
  const answers = [summary];
  const percents = limits.flatMap((limit) => {
    const [unread, figures] = [unreadFor(summary, limit), figuresIn(summary, limit)];
    return unread === undefined || figures === undefined || limit.each !== undefined
      ? []
      : percentsAround(limit.figure, figures, unread);
  });
  const wanted = [...new Set(percents)].slice(0, QUESTIONS_MAX * PERCENTS_MAX);
  const more = summary.endpoints.length > ENDPOINTS_HELD ? { rows: FEWEST_ROWS } : {};
  for (let from = 0; from < wanted.length; from += PERCENTS_MAX) {
    answers.push(await summarise({ ...more, percents: wanted.slice(from, from + PERCENTS_MAX) }));
  }
  return (limit) => {
    const [unread, figures] = [unreadFor(summary, limit), figuresIn(summary, limit)];
    if (unread === undefined || figures === undefined) return undefined;
    return boundsOf(limit, figures, { ...unread, known: knownIn(answers, limit) });
  };
}

/** Value at a percent from 0 to 100. */
type Known = readonly (readonly [percent: number, seconds: number])[];

const ALWAYS = { p50: 50, p90: 90, p95: 95, p99: 99, p999: 99.9 } as const;

function knownIn(answers: readonly SummaryFigures[], limit: Limit): Known {
  return answers.flatMap((answer) => {
    const figures = figuresIn(answer, limit);
    if (figures === undefined) return [];
    const own = Object.entries(ALWAYS).map(([name, percent]) => {
      return [percent, figures[name as keyof typeof ALWAYS]] as const;
    });
    const asked = Object.entries(figures.percentiles ?? {}).map(([name, value]) => {
      return [Number(name.slice(1)), value] as const;
    });
    return [...own, ...asked].flatMap(([percent, value]) =>
      value === null ? [] : [[percent, value] as const],
    );
  });
}

function unreadFor(summary: SummaryFigures, limit: Limit): Unread | undefined {
  if (limit.selector !== undefined || !isAnyUnread(summary)) return undefined;
  return unreadIn(summary, limit);
}

function unreadIn({ unread, overall }: SummaryFigures, limit: Limit): Unread | undefined {
  const { rejectedRows, untimedRows, repeatedRows, discrepancies, isTruncated } = unread;
  const differences = discrepancies.map(({ figure, reported, counted }) => {
    return {
      figure,
      more: Math.max(0, reported - counted),
      fewer: Math.max(0, counted - reported),
    };
  });
  const sumOf = (wanted: "requests" | "failedRequests", which: "more" | "fewer"): number =>
    differences.reduce((sum, each) => sum + (each.figure === wanted ? each[which] : 0), 0);
  const differing = differences.reduce((sum, { more, fewer }) => sum + more + fewer, 0);
  const rows = rejectedRows + untimedRows + repeatedRows + differing;
  const share = rows === 0 ? 0 : rows / (overall.count + rejectedRows);
  const isAllowed = share <= (limit.allowRejected ?? 0);
  if (isAllowed && !isTruncated) return undefined;
  const counted = isAllowed ? 0 : 1;
  return {
    missing: isTruncated ? Infinity : rejectedRows + sumOf("requests", "more"),
    surplus: counted * (repeatedRows + sumOf("requests", "fewer")),
    moreFailed: counted * sumOf("failedRequests", "more"),
    fewerFailed: counted * sumOf("failedRequests", "fewer"),
    untimed: counted * untimedRows,
  };
}

interface Ranks {
  /** Ranks among the requests with a known place, from 1: of the smallest and the largest possible value. */
  readonly least: number;
  readonly most: number;
  /** Requests with a response time: those of higher rank have none. */
  readonly timed: number;
}

/** The unread rows are the fastest, or the slowest. */
function ranksOf(percent: number, { count, untimedCount }: Figures, unread: Unread): Ranks {
  const { missing, surplus } = unread;
  const unknown = missing + Math.min(unread.untimed, untimedCount);
  const rank =
    missing === Infinity ? Infinity : rankOf(percent / 100, Math.max(1, count + missing - surplus));
  const least = missing === Infinity ? 0 : rank - unknown;
  return { least, most: rank + surplus, timed: count - untimedCount };
}

/** Percents have three decimals: rounded outwards. */
const DECIMALS = 1000;

function percentOfRank(rank: number, count: number, round: (value: number) => number): number {
  return round((100 * DECIMALS * rank) / count) / DECIMALS;
}

function percentsAround(
  figure: LimitedFigure,
  figures: Figures,
  unread: Unread,
): readonly number[] {
  const percent = percentOfFigure(figure);
  if (percent === undefined || figures.percentileOrigin !== "computed") return [];
  const { least, most, timed } = ranksOf(percent, figures, unread);
  const { count } = figures;
  return [
    ...(least >= 1 && least <= timed ? [percentOfRank(least, count, Math.floor)] : []),
    ...(most <= timed ? [Math.min(100, percentOfRank(most, count, Math.ceil))] : []),
  ];
}

interface UnreadTimes extends Unread {
  readonly known: Known;
}

const ANYTHING: Bounds = [0, Infinity];

function boundsOf(limit: Limit, figures: Figures, unread: UnreadTimes): Bounds {
  const { figure, unit } = limit;
  const { count, errCount, range } = figures;
  const { missing, surplus } = unread;
  const requests: Bounds = [Math.max(0, count - surplus), count + missing];
  if (figure === "requests") return requests;
  // A run whose end is missing may have gone on for any time.
  const isTimeKnown = range > 0 && missing !== Infinity;
  if (figure === "throughput") return isTimeKnown ? divided(requests, range) : ANYTHING;
  if (figure === "errors") {
    const fewest = Math.max(0, errCount - unread.fewerFailed - surplus);
    const most = errCount + missing + unread.moreFailed;
    if (unit === "count") return [fewest, most];
    if (missing === Infinity) return [0, 1];
    const all = Math.max(1, count + missing - surplus);
    return [fewest / all, Math.min(1, most / all)];
  }
  return boundsOfTime(limit, figures, unread);
}

function divided([least, most]: Bounds, by: number): Bounds {
  return [least / by, most / by];
}

function boundsOfTime(limit: Limit, figures: Figures, unread: UnreadTimes): Bounds {
  const { figure } = limit;
  const { missing, surplus } = unread;
  const unknown = missing + Math.min(unread.untimed, figures.untimedCount);
  const percent = percentOfFigure(figure);
  if (percent !== undefined) return boundsOfPercentile(limit, percent, figures, unread);
  const measured = measuredBy(limit, figures);
  if (measured === undefined) return ANYTHING;
  if (unknown + surplus === 0) return [measured, measured];
  const timed = figures.count - figures.untimedCount;
  if (figure === "max") return [surplus === 0 ? measured : 0, unknown > 0 ? Infinity : measured];
  if (figure === "min") return [unknown > 0 ? 0 : measured, surplus === 0 ? measured : Infinity];
  if (surplus > 0) return ANYTHING;
  return [missing === Infinity ? 0 : (measured * timed) / (timed + unknown), Infinity];
}

function boundsOfPercentile(
  limit: Limit,
  percent: number,
  figures: Figures,
  unread: UnreadTimes,
): Bounds {
  if (figures.percentileOrigin !== "computed") return ANYTHING;
  const { least, most, timed } = ranksOf(percent, figures, unread);
  const { count } = figures;
  const atLeast = percentOfRank(least, count, Math.floor);
  const atMost = percentOfRank(most, count, Math.ceil);
  const low = unread.known.flatMap(([at, seconds]) => (at <= atLeast ? [seconds] : []));
  const high = unread.known.flatMap(([at, seconds]) => (at >= atMost ? [seconds] : []));
  const [lowest, highest] = [figures.minLoadTime ?? 0, figures.maxLoadTime ?? Infinity];
  return [
    least < 1 ? 0 : possibleValues(limit, Math.max(lowest, ...low), figures)[0],
    most > timed ? Infinity : possibleValues(limit, Math.min(highest, ...high), figures)[1],
  ];
}
