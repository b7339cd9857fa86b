import type { Comparison } from "./compare-judge.ts";
import type { LoadTestComparison } from "./compare-load-tests.ts";
import type { ComparedPart } from "./compare-side.ts";
import { comparedFigureOf, type Limit, type LimitComparison, measuredBy } from "./limit.ts";
import type { LoadTestReader, SummaryFigures } from "./load-test-reader.ts";
import { readSteadyRange } from "./read-steady-range.ts";

export interface CheckQuery {
  readonly later: ComparedPart;
  /** What growth is measured against; needed only where a limit is about growth. */
  readonly base: ComparedPart | undefined;
  readonly limits: readonly Limit[];
}

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
}

/** Holds a load test against limits, in their order. Throws what a comparison throws. */
export async function checkLoadTest(
  reader: LoadTestReader,
  { base, later, limits }: CheckQuery,
): Promise<readonly CheckedLimit[]> {
  const range = await readSteadyRange(reader, later.loadTestId, later);
  const summary = await reader.summarise({ ...later, range, apdexMicros: undefined });
  const grown = limits.some(({ isGrowth }) => isGrowth);
  const comparison =
    grown && base !== undefined ? await reader.compare({ base, later }) : undefined;
  return limits.map((limit) =>
    limit.isGrowth ? checkGrowth(limit, comparison) : checkValue(limit, summary),
  );
}

function checkValue(limit: Limit, summary: SummaryFigures): CheckedLimit {
  const figures =
    limit.label === undefined
      ? summary.overall
      : summary.endpoints.find(({ label }) => label === limit.label);
  const measured = figures === undefined ? undefined : measuredBy(limit, figures);
  return { limit, outcome: outcomeOfValue(limit, measured), measured, comparison: undefined };
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
  return { limit, outcome: outcomeOfGrowth(limit, comparison), measured, comparison };
}

function outcomeOfGrowth(limit: Limit, comparison: Comparison | undefined): LimitOutcome {
  if (comparison?.value === undefined) return "unmeasured";
  const { change, isSignificant } = comparison;
  if (change === undefined || isSignificant === undefined) return "unjudged";
  return isSignificant && isBeyond(change, limit) ? "broken" : "kept";
}

const IS_BEYOND: Readonly<Record<LimitComparison, (measured: number, bound: number) => boolean>> = {
  ">": (measured, bound) => measured > bound,
  ">=": (measured, bound) => measured >= bound,
  "<": (measured, bound) => measured < bound,
  "<=": (measured, bound) => measured <= bound,
};

function isBeyond(measured: number, { comparison, bound }: Limit): boolean {
  return IS_BEYOND[comparison](measured, bound);
}
