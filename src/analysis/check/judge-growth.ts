import type { ComparedRow, Comparison } from "../../api/compare.ts";
import type { TrendFigure } from "../../api/trend.ts";
import { detectableChange } from "../compare/run-noise.ts";
import { isBeyond, isFall, type Judged, type Limit, type LimitOutcome } from "./limit.ts";

interface ComparedGrowth {
  readonly figure: TrendFigure | undefined;
  readonly row: Pick<ComparedRow, "count">;
  readonly comparison: Comparison | undefined;
  readonly errorProbability: number;
}

/** Judges growth by the noise that a comparison knows. */
export function judgeGrowth(
  limit: Limit,
  { figure, row, comparison = {}, errorProbability }: ComparedGrowth,
): Pick<Judged, "outcome" | "detectable"> {
  const { count } = row;
  const { base, value, change, isSignificant, betweenRuns } = comparison;
  const detectable =
    figure === undefined || betweenRuns === undefined
      ? undefined
      : detectableChange(figure, betweenRuns, errorProbability);
  const outcome = (): LimitOutcome => {
    if (count.value === 0) return "unmeasured";
    if (value === undefined || (base === undefined && count.base > 0)) return "notEvaluated";
    if (change === undefined && isOtherWay(limit, base, value)) return "kept";
    if (change === undefined || isSignificant === undefined) return "unjudged";
    if (!isBeyond(change, limit)) return "kept";
    return isGrowthSure(limit, comparison, errorProbability) ? "broken" : "inconclusive";
  };
  return { outcome: outcome(), detectable };
}

/** From 0 there is no share, but a direction. */
function isOtherWay(limit: Limit, base: number | undefined, value: number): boolean {
  return base !== undefined && (base === value || value > base === isFall(limit));
}

/** Whether noise between runs, of which that within them is part, does not explain it; if it is unknown, that within the two runs. */
function isGrowthSure(
  limit: Limit,
  { value = 0, isSignificant, betweenRuns }: Comparison,
  errorProbability: number,
): boolean {
  if (betweenRuns === undefined) return isSignificant === true;
  const { level, chance } = betweenRuns;
  const isBeyondLevel = isFall(limit) ? value < level : value > level;
  return isBeyondLevel && chance <= errorProbability;
}
