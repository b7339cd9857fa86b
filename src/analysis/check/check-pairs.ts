import { growthBetween } from "./doubt.ts";
import { type BoundsOf, readBounds } from "./unread-rows.ts";
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

interface ReadSide {
  readonly summary: SummaryFigures;
  readonly boundsOf: BoundsOf;
}

interface ReadPair {
  readonly base: ReadSide;
  readonly later: ReadSide;
}

/** Reads what it takes to check limits about growth, `count` with those of filters, by the growth within each pair. Throws what `LoadTestReader.summarise` throws. */
export async function prepareCheckOfPairs(
  reader: LoadTestReader,
  { pairs, most }: CheckedPairs,
  { limits, count }: { readonly limits: readonly Limit[]; readonly count: number },
): Promise<Check> {
  const read: ReadPair[] = [];
  for (const { base, later } of pairs) {
    read.push({
      base: await readSide(reader, base, limits),
      later: await readSide(reader, later, limits),
    });
  }
  const errorProbability = PAIRS_ERROR / count;
  return (limit) => checkGrowth(limit, read, { errorProbability, most });
}

async function readSide(
  reader: LoadTestReader,
  part: ComparedPart,
  limits: readonly Limit[],
): Promise<ReadSide> {
  const range = await readSteadyRange(reader, part);
  const query = { ...part, range, apdexMicros: undefined };
  const summary = await reader.summarise(query);
  const boundsOf = await readBounds(summary, limits, (more) =>
    reader.summarise({ ...query, ...more }),
  );
  return { summary, boundsOf };
}

function checkGrowth(limit: Limit, pairs: readonly ReadPair[], query: PairsTest): CheckedLimit {
  const quality = { base: [], value: remarksOf(limit, pairs) };
  const figures = pairs.map(
    ({ base, later }) => [figuresIn(base.summary, limit), figuresIn(later.summary, limit)] as const,
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
  const differences = known.map(([from, to]) =>
    isShare ? to - from : Math.log(to) - Math.log(from),
  );
  return {
    limit,
    ...judgeBounds(limit, [differences, ...differencesWithin(limit, pairs, known)], query),
    quality,
  };
}

/** Judges the measured differences if the smallest and the largest possible ones agree. */
function judgeBounds(
  limit: Limit,
  [measured, least, most]: readonly [readonly number[], readonly number[], readonly number[]],
  query: PairsTest,
): Pick<CheckedLimit, "outcome" | "measured" | "possible" | "pairs"> {
  const isShare = limit.figure === "errors";
  const judge = (differences: readonly number[]) => {
    const average = differences.reduce((sum, each) => sum + each, 0) / differences.length;
    const growth = isShare ? average : Math.expm1(average);
    const isOver = isBeyond(growth, limit);
    const bound = isShare ? limit.bound : Math.log1p(limit.bound);
    return { ...judgePairs(differences, { isOver, bound, ...query }), measured: growth };
  };
  const [judged, low, high] = [judge(measured), judge(least), judge(most)];
  if (low.outcome === high.outcome) return judged;
  const largest = most.includes(DIFFERENCE_MAX) ? Infinity : high.measured;
  return { ...judged, outcome: "notEvaluated", possible: [low.measured, largest] };
}

/** The smallest and the largest possible differences, on the scale of the test. */
function differencesWithin(
  limit: Limit,
  pairs: readonly ReadPair[],
  known: readonly (readonly [base: number, later: number])[],
): readonly [least: readonly number[], most: readonly number[]] {
  const growths = known.map(([from, to], index) => {
    const { base, later } = pairs[index] as ReadPair;
    const [ofBase, ofLater] = [base.boundsOf(limit), later.boundsOf(limit)];
    return growthBetween(limit, ofBase ?? [from, from], ofLater ?? [to, to]);
  });
  const scaled = (growth: number): number => {
    const difference = limit.figure === "errors" ? growth : Math.log1p(growth);
    return Math.min(DIFFERENCE_MAX, Math.max(-DIFFERENCE_MAX, difference));
  };
  return [growths.map(([least]) => scaled(least)), growths.map(([, most]) => scaled(most))];
}

/** Stands for infinite growth: the test needs finite sums. */
const DIFFERENCE_MAX = 100;

function valueOf(row: Figures | undefined, figure: TrendFigure | undefined): number | null {
  return row === undefined || figure === undefined ? null : trendValue(row, figure);
}

/** Each once, whatever run it is about. */
function remarksOf(limit: Limit, pairs: readonly ReadPair[]): CheckedLimit["quality"]["value"] {
  const remarks = pairs
    .flatMap(({ base, later }) => [base.summary, later.summary])
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
