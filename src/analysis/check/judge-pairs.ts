import type { CheckedLimit, PairsFound } from "./limit.ts";
import { chanceOfGrowth, fewestDifferences, foundGrowthAt } from "./sign-flips.ts";

interface PairsQuery {
  /** Whether the measured growth is beyond the limit. */
  readonly isOver: boolean;
  /** Of the limit, on the scale of the differences. */
  readonly bound: number;
  /** Probability that noise breaks the limit. */
  readonly errorProbability: number;
  /** If pairs are added one by one until the verdict is certain: their maximum. */
  readonly most: number | undefined;
}

/** Probability that growth beyond the limit is taken for excluded. */
export const MISSED_ERROR = 0.05;

/** Judges differences, one for each pair. */
export function judgePairs(
  differences: readonly number[],
  { isOver, bound, errorProbability, most }: PairsQuery,
): Pick<CheckedLimit, "outcome"> & { readonly pairs: PairsFound } {
  const chance = chanceOfGrowth(differences);
  const pairs = {
    count: differences.length,
    grown: differences.filter((difference) => difference > 0).length,
    chance,
    fewest: fewestDifferences(errorProbability),
  };
  if (most === undefined) {
    const isSure = chance <= errorProbability;
    return { outcome: outcomeOf(isOver, isSure), pairs };
  }
  const isGrown = foundGrowthAt(differences, { errorProbability, most }) !== undefined;
  const below = differences.map((difference) => bound - difference);
  const isExcluded =
    foundGrowthAt(below, { errorProbability: MISSED_ERROR, most }) !== undefined && !isOver;
  const isDecided = (isGrown && isOver) || isExcluded || differences.length >= most;
  const outcome = isDecided ? outcomeOf(isOver, isGrown) : "inconclusive";
  return { outcome, pairs: { ...pairs, isDecided } };
}

function outcomeOf(isOver: boolean, isSure: boolean): CheckedLimit["outcome"] {
  if (!isOver) return "kept";
  return isSure ? "broken" : "inconclusive";
}
