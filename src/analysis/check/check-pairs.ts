import type { SummaryFigures } from "../../api/summary.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { type LoadTestReader, readSteadyRange } from "../load-test-reader.ts";
import { chanceBeyond } from "../student-t.ts";
import { trendValue } from "../trend/trend-figures.ts";
import type { Check } from "./check-load-test.ts";
import { type ReadMeasures, measureOf, readMeasures, statisticOf } from "./check-measures.ts";
import { growthBetween, withDoubtOfMeasure } from "./doubt.ts";
import {
  type CheckedLimit,
  type Limit,
  type PairsFound,
  figuresIn,
  isBeyond,
  isFall,
  kindOf,
  remarksFor,
} from "./limit.ts";
import { type Omission, omissionRemarks, possibleTimes, readOmission } from "./omitted-requests.ts";
import { type BoundsOf, readBounds } from "./unread-rows.ts";

export interface CheckedPairs {
  /** Each a run of the base and one of what is checked, made under the same conditions. */
  readonly pairs: readonly { readonly base: ComparedPart; readonly later: ComparedPart }[];
}

/** Probability that noise breaks any of the limits. */
const PAIRS_ERROR = 0.01;

interface ReadSide {
  readonly summary: SummaryFigures;
  readonly measures: ReadMeasures;
  /** With the rows that could not be read and the requests that were not sent. */
  readonly boundsOf: BoundsOf;
  /** With the rows alone. */
  readonly boundsOfRows: BoundsOf;
  readonly omission: Omission;
}

interface ReadPair {
  readonly base: ReadSide;
  readonly later: ReadSide;
}

/** Reads what it takes to check limits about growth, `count` with those of filters, by the growth within each pair. Throws what `LoadTestReader.summarise` throws. */
export async function prepareCheckOfPairs(
  reader: LoadTestReader,
  { pairs }: CheckedPairs,
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
  return (limit) => checkGrowth(limit, read, { errorProbability });
}

async function readSide(
  reader: LoadTestReader,
  part: ComparedPart,
  limits: readonly Limit[],
): Promise<ReadSide> {
  const range = await readSteadyRange(reader, part);
  const query = { ...part, range, apdexMicros: undefined };
  const summary = await reader.summarise(query);
  const boundsOfRows = await readBounds(summary, limits, (more) =>
    reader.summarise({ ...query, ...more }),
  );
  const omission = await readOmission(reader, { loadTestId: part.loadTestId, range }, limits);
  const boundsOf: BoundsOf = (limit) => {
    const figures = figuresIn(summary, limit);
    const ofRows = boundsOfRows(limit);
    const ofUnsent = omission && figures && possibleTimes(limit, figures, omission);
    if (ofRows === undefined || ofUnsent === undefined) return ofRows ?? ofUnsent;
    return [Math.min(ofRows[0], ofUnsent[0]), Math.max(ofRows[1], ofUnsent[1])];
  };
  const measures = await readMeasures(reader, { ...part, range }, limits);
  return { summary, measures, boundsOf, boundsOfRows, omission };
}

function checkGrowth(limit: Limit, pairs: readonly ReadPair[], query: PairsTest): CheckedLimit {
  const quality = { base: [], value: remarksOf(limit, pairs) };
  const figures = pairs.map(
    ({ base, later }) => [valueIn(limit, base), valueIn(limit, later)] as const,
  );
  if (figures.some(([, later]) => later === undefined)) {
    return { limit, outcome: "unmeasured", quality };
  }
  if (figures.some(([base]) => base === undefined)) return { limit, outcome: "unjudged", quality };
  const known = figures.flatMap(([from, to]) =>
    isKnown(from) && isKnown(to) ? [[from, to] as const] : [],
  );
  if (known.length < pairs.length) return { limit, outcome: "notEvaluated", quality };
  const isShare = isOfShare(limit, pairs);
  if (!isShare && known.flat().some((value) => value <= 0)) {
    return { limit, outcome: "unjudged", quality };
  }
  const differences = known.map(([from, to]) =>
    isShare ? to - from : Math.log(to) - Math.log(from),
  );
  const isMeasure = limit.selector !== undefined;
  const within = isMeasure
    ? ([differences, differences] as const)
    : differencesWithin(limit, pairs, known);
  const judged = {
    limit,
    isShare,
    ...judgeBounds(limit, [differences, ...within], { ...query, isShare }),
  };
  if (isMeasure) return { ...doubted(judged, pairs), quality };
  const isUnread = pairs.some(({ base, later }) => {
    return (base.boundsOfRows(limit) ?? later.boundsOfRows(limit)) !== undefined;
  });
  const isOmitted = judged.possible !== undefined && !isUnread;
  return { ...judged, ...(isOmitted && { isOmitted }), quality };
}

/** Of measures, by what could not be read of any run. */
function doubted(judged: Omit<CheckedLimit, "quality">, pairs: readonly ReadPair[]) {
  const sides = pairs.flatMap(({ base, later }) => [base, later]);
  return sides.reduce((found, { summary, measures }) => {
    return withDoubtOfMeasure(found, summary, measureOf(judged.limit, measures)?.count ?? 0);
  }, judged);
}

/** Judges the measured differences if the smallest and the largest possible ones agree. */
function judgeBounds(
  limit: Limit,
  [measured, least, most]: readonly [readonly number[], readonly number[], readonly number[]],
  { isShare, ...query }: PairsTest & { readonly isShare: boolean },
): Pick<CheckedLimit, "outcome" | "measured" | "possible" | "pairs"> {
  // A fall is growth of the opposite.
  const sign = isFall(limit) ? -1 : 1;
  const judge = (differences: readonly number[]) => {
    const average = differences.reduce((sum, each) => sum + each, 0) / differences.length;
    const growth = isShare ? average : Math.expm1(average);
    const isOver = isBeyond(growth, limit);
    const signed = differences.map((each) => sign * each);
    return { ...judgePairs(signed, { isOver, ...query }), measured: growth };
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

/** `null` if it is not known, `undefined` without a request or value. */
function valueIn(limit: Limit, side: ReadSide): number | null | undefined {
  if (limit.selector !== undefined) {
    const measure = measureOf(limit, side.measures);
    return measure && (statisticOf({ ...limit, unit: "count" }, measure) ?? null);
  }
  const row = figuresIn(side.summary, limit);
  const { trend } = kindOf(limit.figure);
  if (!row?.count) return undefined;
  return trend === undefined ? null : trendValue(row, trend);
}

function isKnown(value: number | null | undefined): value is number {
  return typeof value === "number";
}

function isOfShare(limit: Limit, pairs: readonly ReadPair[]): boolean {
  const [pair] = pairs;
  const measure = pair && measureOf(limit, pair.later.measures);
  return limit.figure === "errors" || measure?.kind === "rate";
}

/** Each once, whatever run it is about. */
function remarksOf(limit: Limit, pairs: readonly ReadPair[]): CheckedLimit["quality"]["value"] {
  const remarks = pairs
    .flatMap(({ base, later }) => [base, later])
    .flatMap(({ summary, omission }) => [
      ...remarksFor(limit, figuresIn(summary, limit), summary.quality),
      ...(limit.selector === undefined ? omissionRemarks(omission) : []),
    ]);
  return [...new Map(remarks.map((remark) => [remark.message, remark])).values()];
}

interface PairsTest {
  readonly errorProbability: number;
}

interface PairsQuery extends PairsTest {
  /** Whether the measured growth is beyond the limit. */
  readonly isOver: boolean;
}

function judgePairs(
  differences: readonly number[],
  { isOver, errorProbability }: PairsQuery,
): Pick<CheckedLimit, "outcome"> & { readonly pairs: PairsFound } {
  const chance = chanceOfGrowth(differences);
  const pairs = {
    count: differences.length,
    grown: differences.filter((difference) => difference > 0).length,
    chance,
    fewest: fewestDifferences(errorProbability),
  };
  return { outcome: outcomeOf(isOver, chance <= errorProbability), pairs };
}

function outcomeOf(isOver: boolean, isSure: boolean): CheckedLimit["outcome"] {
  if (!isOver) return "kept";
  return isSure ? "broken" : "inconclusive";
}

/** Exact tests of differences whose sign is equally likely to be plus or minus if nothing has changed. */
/** With more pairs, there are too many choices of signs, and Student's t is as good. */
const EXACT_MAX = 20;

/** Rounding error of sums. */
const TOLERANCE = 1e-9;

/**
 * Probability that noise alone makes the sum of differences this large: the share of all choices of their signs with a sum at
 * least as large; with more than 20, by Student's t.
 */
export function chanceOfGrowth(differences: readonly number[]): number {
  if (differences.length > EXACT_MAX) return chanceByT(differences);
  // One sum per choice of signs; the first is that of the differences themselves.
  const sums = differences.reduce(withBothSigns, new Float64Array(1));
  const [own = 0] = sums;
  const least = own - TOLERANCE * differences.reduce((sum, each) => sum + Math.abs(each), 0);
  return sums.filter((sum) => sum >= least).length / sums.length;
}

/** Fewest differences that can be beyond noise. */
export function fewestDifferences(errorProbability: number): number {
  return Math.ceil(Math.log2(1 / errorProbability));
}

/** The sums with the difference added come first. */
function withBothSigns(sums: Float64Array, difference: number): Float64Array<ArrayBuffer> {
  const both = new Float64Array(2 * sums.length);
  for (let at = 0; at < sums.length; at++) {
    const sum = sums[at] as number;
    both[at] = sum + difference;
    both[at + sums.length] = sum - difference;
  }
  return both;
}

function chanceByT(differences: readonly number[]): number {
  const count = differences.length;
  const average = differences.reduce((sum, each) => sum + each, 0) / count;
  const squares = differences.reduce((sum, each) => sum + (each - average) ** 2, 0);
  const standardError = Math.sqrt(squares / (count - 1) / count);
  if (standardError === 0) return average > 0 ? 0 : 1;
  const beyond = chanceBeyond(Math.abs(average) / standardError, count - 1) / 2;
  return average > 0 ? beyond : 1 - beyond;
}
