import type { Figures, SummaryFigures } from "../../api/summary.ts";
import type { TrendFigure } from "../../api/trend.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import type { Check } from "./check-load-test.ts";
import { type LoadTestReader, readSteadyRange } from "../load-test-reader.ts";
import { trendValue } from "../trend/trend-figures.ts";
import {
  type CheckedLimit,
  type Limit,
  type PairsFound,
  figuresIn,
  isBeyond,
  kindOf,
  remarksFor,
} from "./limit.ts";
import { chanceOfGrowth, fewestDifferences, foundGrowthAt } from "./sign-flips.ts";

export interface CheckedPairs {
  /** Each a run of the base and one of what is checked, made under the same conditions. */
  readonly pairs: readonly { readonly base: ComparedPart; readonly later: ComparedPart }[];
  /** If pairs are added one by one until the verdict is certain: their maximum. */
  readonly most: number | undefined;
}

/** Probability that noise breaks any of the limits. */
export const PAIRS_ERROR = 0.01;

interface ReadPair {
  readonly base: SummaryFigures;
  readonly later: SummaryFigures;
}

/** Reads what it takes to check `count` limits about growth by the growth within each pair. Throws what `LoadTestReader.summarise` throws. */
export async function prepareCheckOfPairs(
  reader: LoadTestReader,
  { pairs, most }: CheckedPairs,
  count: number,
): Promise<Check> {
  const read: ReadPair[] = [];
  for (const { base, later } of pairs) {
    read.push({ base: await summaryOf(reader, base), later: await summaryOf(reader, later) });
  }
  const errorProbability = PAIRS_ERROR / count;
  return (limit) => checkGrowth(limit, read, { errorProbability, most });
}

async function summaryOf(reader: LoadTestReader, part: ComparedPart): Promise<SummaryFigures> {
  const range = await readSteadyRange(reader, part);
  return reader.summarise({ ...part, range, apdexMicros: undefined });
}

function checkGrowth(limit: Limit, pairs: readonly ReadPair[], query: PairsTest): CheckedLimit {
  const quality = { base: [], value: remarksOf(limit, pairs) };
  const figures = pairs.map(
    ({ base, later }) => [figuresIn(base, limit), figuresIn(later, limit)] as const,
  );
  if (figures.some(([, later]) => !later?.count)) {
    return { limit, outcome: "unmeasured", quality };
  }
  if (figures.some(([base]) => !base?.count)) return { limit, outcome: "unjudged", quality };
  const figure = kindOf(limit.figure).trend;
  const known = figures.flatMap(([base, later]) => {
    const [from, to] = [valueOf(base, figure), valueOf(later, figure)];
    return from === null || to === null ? [] : [[from, to] as const];
  });
  if (known.length < pairs.length) return { limit, outcome: "notEvaluated", quality };
  const isShare = figure === "errRate";
  if (!isShare && known.flat().includes(0)) return { limit, outcome: "unjudged", quality };
  const differences = known.map(([base, value]) =>
    isShare ? value - base : Math.log(value) - Math.log(base),
  );
  const average = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  const measured = isShare ? average : Math.expm1(average);
  const judged = judgePairs(differences, {
    isOver: isBeyond(measured, limit),
    bound: isShare ? limit.bound : Math.log1p(limit.bound),
    ...query,
  });
  return { limit, ...judged, measured, quality };
}

function valueOf(row: Figures | undefined, figure: TrendFigure | undefined): number | null {
  return row === undefined || figure === undefined ? null : trendValue(row, figure);
}

/** Each once, whatever run it is about. */
function remarksOf(limit: Limit, pairs: readonly ReadPair[]): CheckedLimit["quality"]["value"] {
  const remarks = pairs
    .flatMap(({ base, later }) => [base, later])
    .flatMap((summary) => remarksFor(limit, figuresIn(summary, limit), summary.quality));
  return [...new Map(remarks.map((remark) => [remark.message, remark])).values()];
}

interface PairsTest extends Pick<CheckedPairs, "most"> {
  /** Probability that noise breaks the limit. */
  readonly errorProbability: number;
}

interface PairsQuery extends PairsTest {
  /** Whether the measured growth is beyond the limit. */
  readonly isOver: boolean;
  /** Of the limit, on the scale of the differences. */
  readonly bound: number;
}

/** Probability that growth beyond the limit is taken for excluded. */
export const MISSED_ERROR = 0.05;

function judgePairs(
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
