import {
  COMPARED_FIGURES,
  type ComparedFigure,
  type ComparedRow,
  type Comparison,
} from "../../api/compare.ts";
import type { Trend } from "../../api/trend.ts";
import { averageOf, squaresOf } from "../../model/columns.ts";
import { leastGrowthWithin } from "../compare/compare-with-earlier.ts";
import { cutsOf, EARLIER_MAX } from "../compare/earlier-runs.ts";
import {
  detectableBetween,
  detectableChange,
  EARLIER_MIN,
  GROWTH_ERROR,
  type GrowthNoise,
  type LeastWithin,
  runNoise,
} from "../compare/run-noise.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import type { TrendQuery } from "../trend/read-trend.ts";
import { PAIRS_ERROR } from "./check-pairs.ts";
import { fewestDifferences } from "./sign-flips.ts";

/** What a check finds of growth in one figure. Seconds; of failures shares. */
export interface FigurePower {
  readonly figure: ComparedFigure;
  /** The current level, and the standard deviation between runs: 0.1 for 10 %, of failures the difference. */
  readonly level: number;
  readonly spread: number;
  /** Growth that 9 of 10 checks of the next run find; absent if no growth is large enough. */
  readonly detectable?: number;
  /** Fewest earlier runs with which 9 of 10 checks of one run find the wanted change; absent if none are enough. */
  readonly earlierRuns?: number;
  /** Fewest pairs of runs with which 9 of 10 checks find it; absent if `PAIRS_MAX` are not enough. */
  readonly pairs?: number;
}

export const PAIRS_MAX = 1000;

export interface PowerQuery extends Pick<
  TrendQuery,
  "selection" | "skipStartSeconds" | "skipEndSeconds"
> {
  readonly name: string;
  /** Wanted growth, as in a comparison. */
  readonly change: number;
}

export interface Power {
  readonly loadTests: number;
  /** Without those whose noise between runs is unknown. */
  readonly figures: readonly FigurePower[];
}

/** Power of a check of the next run against the latest one, for all endpoints as one. Throws what `readTrend` and comparisons throw. */
export async function readPower(
  reader: Pick<LoadTestReader, "trend" | "compare">,
  { name, change, ...part }: PowerQuery,
): Promise<Power> {
  const trend = await reader.trend({ name, last: EARLIER_MAX, ignoreBaseline: true, ...part });
  const within = await readWithin(reader, trend, part);
  const figures = COMPARED_FIGURES.flatMap((figure) => {
    const known = noiseOf(trend, figure);
    return known === undefined ? [] : [powerOf(figure, known, within[figure], change)];
  });
  return { loadTests: trend.loadTests.length, figures };
}

/** Runs that the latest one is compared with to know the noise within. */
const COMPARED_MAX = 7;

type Within = Readonly<Record<ComparedFigure, LeastWithin | undefined>>;

/** The next run is expected to have the noise of the earlier ones. */
async function readWithin(
  reader: Pick<LoadTestReader, "compare">,
  { loadTests }: Trend,
  part: Omit<PowerQuery, "name" | "change">,
): Promise<Within> {
  const ids = loadTests.map(({ id }) => id);
  const latest = ids.at(-1) ?? "";
  const rows: ComparedRow[] = [];
  for (const id of ids.slice(0, -1).slice(-COMPARED_MAX)) {
    const side = { ...part, range: undefined };
    const query = { base: { ...side, loadTestId: latest }, later: { ...side, loadTestId: id } };
    rows.push((await reader.compare(query)).overall);
  }
  const known = COMPARED_FIGURES.map((figure) => [figure, withinOf(figure, rows)]);
  return Object.fromEntries(known) as Within;
}

function withinOf(figure: ComparedFigure, rows: readonly ComparedRow[]): LeastWithin | undefined {
  const base = rows[0]?.[figure].base;
  const all = rows.flatMap((row) => leastOf(figure, row[figure]) ?? []);
  if (base === undefined || all.length < rows.length) return undefined;
  const least = Float64Array.from(all);
  const deviation = Math.sqrt(squaresOf(least) / Math.max(1, least.length - 1));
  return { base, least: averageOf(least), deviation };
}

/** Of a comparison; the limits of one that knows noise between runs are those of both noises. */
function leastOf(figure: ComparedFigure, { betweenRuns, ...within }: Comparison) {
  return betweenRuns === undefined ? leastGrowthWithin(figure, within) : betweenRuns.leastWithin;
}

function noiseOf(trend: Trend, figure: ComparedFigure) {
  const ids = trend.loadTests.map(({ id }) => id);
  const changes = trend.changes
    .filter(({ label }) => label === undefined)
    .map((each) => ({ ...each, at: ids.indexOf(each.loadTestId) }));
  const earlier = { values: trend.overall, cuts: cutsOf(changes) };
  const latest = trend.overall[figure].findLastIndex((value) => value !== null);
  const value = trend.overall[figure][latest] ?? undefined;
  if (value === undefined) return undefined;
  const pair = { base: value, value, baseAt: latest, errorProbability: GROWTH_ERROR };
  return runNoise(earlier, figure, pair);
}

function powerOf(
  figure: ComparedFigure,
  known: NonNullable<ReturnType<typeof noiseOf>>,
  within: GrowthNoise["within"],
  change: number,
): FigurePower {
  const { level, spread } = known.noise;
  const { variance } = known.spread;
  const noiseOver = (of: number, runs: number) => ({
    level,
    standardError: Math.sqrt(of),
    degreesOfFreedom: runs - 1,
  });
  const detectable = detectableChange(figure, { ...known.noise, within }, GROWTH_ERROR);
  const earlierRuns = fewestEnough(EARLIER_MIN, EARLIER_MAX, (runs) => {
    const between = noiseOver(variance * (1 + 1 / runs), runs);
    return detectableChange(figure, { ...between, within }, GROWTH_ERROR) <= change;
  });
  const pairs = fewestEnough(fewestDifferences(PAIRS_ERROR), PAIRS_MAX, (count) => {
    const between = noiseOver((2 * variance) / count, count);
    return detectableBetween(figure, between, 2 * PAIRS_ERROR) <= change;
  });
  return {
    figure,
    level,
    spread,
    ...(detectable === Infinity ? {} : { detectable }),
    ...(earlierRuns === undefined ? {} : { earlierRuns }),
    ...(pairs === undefined ? {} : { pairs }),
  };
}

/** `undefined` if even `most` are not enough; more are never worse. */
function fewestEnough(
  least: number,
  most: number,
  isEnough: (count: number) => boolean,
): number | undefined {
  if (!isEnough(most)) return undefined;
  let [low, high] = [least, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
