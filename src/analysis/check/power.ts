import { COMPARED_FIGURES, type ComparedFigure } from "../../api/compare.ts";
import type { Trend, TrendFigure } from "../../api/trend.ts";
import { type MeasureSelector, selectorText } from "../../model/measures/measure-selector.ts";
import { earlierIn, EARLIER_MAX } from "../compare/earlier-runs.ts";
import {
  detectableChange,
  detectableInNewRuns,
  EARLIER_MIN,
  GROWTH_ERROR,
  runNoise,
} from "../compare/run-noise.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import type { TrendQuery } from "../trend/read-trend.ts";
import { limitPerSeries, type ReadMeasures } from "./check-measures.ts";
import { PAIRS_ERROR } from "./check-pairs.ts";
import type { LimitedFigure } from "./limit.ts";
import { noiseFigureOf, readMeasuredRuns, trendOfMeasure } from "./measure-trend.ts";
import { isMistake, parseLimit } from "./parse-limit.ts";
import { fewestDifferences } from "./sign-flips.ts";

/** What a check finds of growth in one figure. Seconds; of failures shares. */
export interface FigurePower {
  /** Of requests, or a statistic of `measure`. */
  readonly figure: ComparedFigure | LimitedFigure;
  /** Selects it; its levels are in its unit. @default requests */
  readonly measure?: string;
  /** Whether it is a share of all requests or values. */
  readonly isShare?: true;
  /** The current level, and the standard deviation between runs: 0.1 for 10 %, of failures the difference. */
  readonly level: number;
  readonly spread: number;
  /** Growth that 9 of 10 checks of the next run find; absent if runs are too short or have too few requests. */
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
  /** Instead of requests. */
  readonly selector?: MeasureSelector | undefined;
}

export interface Power {
  readonly loadTests: number;
  /** Without those whose noise between runs is unknown. */
  readonly figures: readonly FigurePower[];
}

/** Power of a check of the next run against the latest one, for all endpoints as one. Throws what `readTrend` and comparisons throw. */
export async function readPower(
  reader: LoadTestReader,
  { name, change, selector, ...part }: PowerQuery,
): Promise<Power> {
  const trend = await reader.trend({ name, last: EARLIER_MAX, ignoreBaseline: true, ...part });
  if (selector !== undefined) {
    const figures = await powerOfMeasures(reader, trend, { change, selector, ...part });
    return { loadTests: trend.loadTests.length, figures };
  }
  const judged = await readJudged(reader, trend, part);
  const figures = COMPARED_FIGURES.flatMap((figure) => {
    const known = noiseOf(trend, figure);
    return known === undefined ? [] : [powerOf(figure, known, judged.has(figure), change)];
  });
  return { loadTests: trend.loadTests.length, figures };
}

const POWER_STATISTICS = ["avg", "rate", "p50", "p95", "p99", "max"] as const;

/** Of the usual statistics of each measure that the latest run has. */
async function powerOfMeasures(
  reader: LoadTestReader,
  trend: Trend,
  {
    change,
    selector,
    ...part
  }: Omit<PowerQuery, "name" | "selector"> & {
    readonly selector: MeasureSelector;
  },
): Promise<readonly FigurePower[]> {
  const text = selectorText(selector);
  const asked = POWER_STATISTICS.flatMap((figure) => {
    const limit = parseLimit(`measure ${text}: ${figure} grows > 0%`);
    return isMistake(limit) ? [] : [limit];
  });
  const runs = await readMeasuredRuns(reader, trend, part, asked);
  const latest: ReadMeasures = runs.at(-1) ?? new Map();
  const found: FigurePower[] = [];
  for (const limit of asked.flatMap((each) => limitPerSeries(each, latest))) {
    const figure = noiseFigureOf(limit, runs);
    // `avg` and `rate` of a rate are the same.
    const isTwice = figure === "errRate" && limit.figure === "rate";
    const whole = isTwice ? undefined : await trendOfMeasure(trend, runs, limit, figure);
    const known = whole && noiseOf(whole, figure);
    if (known === undefined) continue;
    const measure = limit.text.slice("measure ".length, limit.text.lastIndexOf(":"));
    const power = { ...powerOf(figure, known, true, change), figure: limit.figure, measure };
    found.push(figure === "errRate" ? { ...power, isShare: true } : power);
  }
  return found;
}

/** Figures of the latest run that are judged if they grow: a check needs enough requests and seconds. */
async function readJudged(
  reader: Pick<LoadTestReader, "compare">,
  { loadTests }: Trend,
  part: Omit<PowerQuery, "name" | "change">,
): Promise<ReadonlySet<ComparedFigure>> {
  const loadTestId = loadTests.at(-1)?.id;
  if (loadTestId === undefined) return new Set();
  const side = { ...part, range: undefined, loadTestId };
  const { overall } = await reader.compare({ base: side, later: side });
  return new Set(COMPARED_FIGURES.filter((figure) => overall[figure].isSignificant !== undefined));
}

function noiseOf(trend: Trend, figure: TrendFigure) {
  const latest = trend.overall[figure].findLastIndex((value) => value !== null);
  const value = trend.overall[figure][latest] ?? undefined;
  if (value === undefined) return undefined;
  const pair = { base: value, value, baseAt: latest, errorProbability: GROWTH_ERROR };
  return runNoise(earlierIn(trend), figure, pair);
}

function powerOf<Figure extends TrendFigure>(
  figure: Figure,
  { noise, spread: { variance } }: NonNullable<ReturnType<typeof noiseOf>>,
  isJudged: boolean,
  change: number,
): Omit<FigurePower, "figure"> & { readonly figure: Figure } {
  const { level, spread } = noise;
  const growthFound = (of: number, runs: number, errorProbability: number): number => {
    const between = { level, standardError: Math.sqrt(of), degreesOfFreedom: runs - 1 };
    return detectableInNewRuns(figure, between, errorProbability);
  };
  const detectable = detectableChange(figure, noise, GROWTH_ERROR);
  const earlierRuns = fewestEnough(
    EARLIER_MIN,
    EARLIER_MAX,
    (runs) => growthFound(variance * (1 + 1 / runs), runs, GROWTH_ERROR) <= change,
  );
  const pairs = fewestEnough(
    fewestDifferences(PAIRS_ERROR),
    PAIRS_MAX,
    (count) => growthFound((2 * variance) / count, count, 2 * PAIRS_ERROR) <= change,
  );
  return {
    figure,
    level,
    spread,
    ...(isJudged && { detectable }),
    ...(isJudged && earlierRuns !== undefined && { earlierRuns }),
    ...(pairs !== undefined && { pairs }),
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
