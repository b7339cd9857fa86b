import type { Comparison } from "./compare-judge.ts";
import type { LoadTestComparison } from "./compare-load-tests.ts";
import type { ComparedPart } from "./compare-side.ts";
import { comparedFigureOf, isBeyond, type Limit, measuredBy } from "./limit.ts";
import type { LoadTestReader, SummaryFigures } from "./load-test-reader.ts";
import { checkChange, readHistory } from "./check-history.ts";
import { readSteadyRange } from "./read-steady-range.ts";
import type { TrendChange } from "./trend/read-trend.ts";
import type { SeriesQuery } from "./trend/trend-series.ts";

export interface CheckQuery {
  readonly later: ComparedPart;
  /** What growth is measured against; needed only where a limit is about growth. */
  readonly base: ComparedPart | undefined;
  /** What changes are looked for in; needed only where a limit is about them. */
  readonly history: CheckedHistory | undefined;
  readonly limits: readonly Limit[];
}

/** The load tests before the one that is checked. */
export type CheckedHistory = Omit<SeriesQuery, "upTo">;

/**
 * What became of a limit. `unmeasured` means that there was nothing to measure, and counts as
 * broken; `unjudged` that growth could not be told from noise for want of requests, and does not.
 */
export type LimitOutcome = "kept" | "broken" | "unmeasured" | "unjudged";

export interface CheckedLimit {
  readonly limit: Limit;
  readonly outcome: LimitOutcome;
  /** In the unit of the limit. */
  readonly measured: number | undefined;
  /** Where the limit is about growth. */
  readonly comparison: Comparison | undefined;
  /** Where the limit is about a change, and there is one. */
  readonly change: TrendChange | undefined;
}

const FEWEST_ROWS = { limit: 1, sort: "label", order: "ascending" } as const;

/** Holds a load test against limits, in their order. Throws what a comparison throws. */
export async function checkLoadTest(
  reader: LoadTestReader,
  { base, later, history, limits }: CheckQuery,
): Promise<readonly CheckedLimit[]> {
  const range = await readSteadyRange(reader, later.loadTestId, later);
  // Of very many endpoints nobody needs the rows where no limit names one.
  const isOfEndpoint = limits.some(({ about, label }) => about === "value" && label !== undefined);
  const rows = isOfEndpoint ? undefined : FEWEST_ROWS;
  const summary = await reader.summarise({ ...later, range, apdexMicros: undefined, rows });
  const grown = limits.some(({ about }) => about === "growth");
  const comparison =
    grown && base !== undefined ? await reader.compare({ base, later }) : undefined;
  const judge =
    history === undefined ? undefined : await readHistory(reader, { later, history, limits });
  return limits.map((limit) => {
    if (limit.about === "value") return checkValue(limit, summary);
    return limit.about === "growth"
      ? checkGrowth(limit, comparison)
      : { ...checkChange(limit, judge), comparison: undefined };
  });
}

function checkValue(limit: Limit, summary: SummaryFigures): CheckedLimit {
  const figures =
    limit.label === undefined
      ? summary.overall
      : summary.endpoints.find(({ label }) => label === limit.label);
  const measured = figures === undefined ? undefined : measuredBy(limit, figures);
  const outcome = outcomeOfValue(limit, measured);
  return { limit, outcome, measured, comparison: undefined, change: undefined };
}

function outcomeOfValue(limit: Limit, measured: number | undefined): LimitOutcome {
  if (measured === undefined) return "unmeasured";
  return isBeyond(measured, limit) ? "broken" : "kept";
}

function checkGrowth(limit: Limit, compared: LoadTestComparison | undefined): CheckedLimit {
  const row =
    limit.label === undefined
      ? compared?.overall
      : compared?.endpoints.find(({ label }) => label === limit.label);
  const figure = comparedFigureOf(limit.figure);
  const comparison = figure === undefined ? undefined : row?.[figure];
  const measured = comparison?.change;
  const outcome = outcomeOfGrowth(limit, comparison);
  return { limit, outcome, measured, comparison, change: undefined };
}

function outcomeOfGrowth(limit: Limit, comparison: Comparison | undefined): LimitOutcome {
  if (comparison?.value === undefined) return "unmeasured";
  const { change, isSignificant } = comparison;
  if (change === undefined || isSignificant === undefined) return "unjudged";
  return isSignificant && isBeyond(change, limit) ? "broken" : "kept";
}
