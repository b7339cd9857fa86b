import type { ComparedMeasure, MeasureVerdict } from "../../api/compare.ts";
import type { MeasureSeriesJson } from "../../api/measures.ts";
import type { TrendFigure } from "../../api/trend.ts";
import type { MeasureSelector } from "../../model/measures/measure-selector.ts";
import { worseDirection } from "../../model/measures/worse-direction.ts";
import { type MeasuresQuery, readMeasures, readMeasureSeries } from "../../query/read-measures.ts";
import type { Store } from "../../store/store.ts";
import {
  FIGURE_OF,
  measureKey,
  type MeasureStatistic,
  readMeasureRows,
  type RunMeasure,
} from "../trend/measure-runs.ts";
import { readTrendRows } from "../trend/trend-rows.ts";
import { type CompareQuery, ERROR_PROBABILITY } from "./compare-load-tests.ts";
import { type Limits, ratioLimits, shareDifference } from "./compare-intervals.ts";
import { type Pair, type Ratio, ratioOf } from "./compare-noise.ts";
import { type ComparedPart, readPartRange } from "./compare-side.ts";
import {
  EARLIER_MIN,
  type EarlierRuns,
  type EarlierValues,
  earlierValues,
} from "./earlier-runs.ts";
import { CHANGE_MIN, EXCLUDED_ERROR, limitsOf } from "./evaluate-row.ts";
import { runNoise } from "./run-noise.ts";

type ComparedValue = NonNullable<ComparedMeasure[MeasureStatistic]>;

/** Smaller differences of shares need no action. */
const SHARE_MIN = 0.01;

/** Of runs that are alike, these differ by as much. */
const TAIL_MIN = 0.25;
const TAILS: ReadonlySet<MeasureStatistic> = new Set(["p95", "p99"]);

const RANKS: readonly MeasureVerdict[] = [
  "worse",
  "changed",
  "inconclusive",
  "unchanged",
  "better",
  "gone",
  "new",
];

/** 0: worst. */
export function rankOfMeasure(verdict: MeasureVerdict): number {
  return RANKS.indexOf(verdict);
}

/** Every measure of the run as a whole. */
const EACH_MEASURE: MeasureSelector = { name: undefined, matches: [], by: [] };

/**
 * Compares measures, worst first: by the noise between earlier runs or, if it is unknown, within the two runs. Throws what
 * `readMeasures` throws.
 */
export async function compareMeasures(
  points: Store["points"],
  query: CompareQuery,
  { loadTests }: EarlierRuns,
  { history = points, ofBase }: MeasureReading = {},
): Promise<readonly ComparedMeasure[]> {
  const { base, later, selector = EACH_MEASURE } = query;
  const sides = {
    base: ofBase ?? (await readMeasuresOfBase(points, query)),
    later: await readSide(points, later, selector),
  };
  const keys = new Set([...sides.later.measures.keys(), ...sides.base.measures.keys()]);
  if (keys.size === 0) return [];
  const earlier =
    loadTests.length < EARLIER_MIN
      ? new Map<string, EarlierValues>()
      : await readEarlierMeasures(history, { base, later, selector }, loadTests);
  const all = [...sides.base.measures, ...sides.later.measures];
  const kinds = [...new Map(all).values()].map(({ kind }) => kind);
  const tests = kinds.reduce((sum, kind) => sum + FIGURE_OF[kind].length, 0);
  const isWhole = base.range === undefined && later.range === undefined;
  const context = {
    earlier,
    baseAt: isWhole ? loadTests.findIndex(({ id }) => id === base.loadTestId) : -1,
    errorProbability: ERROR_PROBABILITY / tests,
    blocksOf: {
      base: await readBlocks(sides.base, earlier),
      later: await readBlocks(sides.later, earlier),
    },
  };
  const rows = [...keys].map((key) => compareOne(key, sides, context));
  return rows.toSorted(
    (one, other) =>
      rankOfMeasure(one.verdict) - rankOfMeasure(other.verdict) ||
      largestChange(other) - largestChange(one) ||
      (one.name < other.name ? -1 : 1),
  );
}

/** Relative, or the difference of shares. */
export function largestChange(row: ComparedMeasure): number {
  const changes = FIGURE_OF[row.kind].map(([statistic]) => Math.abs(row[statistic]?.change ?? 0));
  return Math.max(...changes);
}

interface MeasureReading {
  /** Where earlier runs are. @default the store of both */
  readonly history?: Store["points"];
  /** That several runs are compared with. @default read for this comparison */
  readonly ofBase?: MeasureSide;
}

interface MeasureSide {
  readonly measures: ReadonlyMap<string, RunMeasure>;
  /** How each varies within the run; read once. */
  readonly blocks: () => Promise<BlocksByKey>;
}

/** Throws what `readMeasures` throws. */
export async function readMeasuresOfBase(
  points: Store["points"],
  { base, selector = EACH_MEASURE }: Pick<CompareQuery, "base" | "selector">,
): Promise<MeasureSide> {
  return readSide(points, base, selector);
}

async function readSide(
  points: Store["points"],
  part: ComparedPart,
  selector: MeasureSelector,
): Promise<MeasureSide> {
  const range = await readPartRange(points, part);
  const query = { loadTestId: part.loadTestId, range, selector };
  const { measures } = await readMeasures(points, query);
  const known = measures.filter(({ count }) => count > 0);
  const side = new Map(known.map((each) => [measureKey(each), each]));
  let blocks: Promise<BlocksByKey> | undefined;
  return { measures: side, blocks: () => (blocks ??= blocksWithin(points, query, side)) };
}

async function readEarlierMeasures(
  points: Store["points"],
  { later, selector = EACH_MEASURE }: CompareQuery,
  loadTests: EarlierRuns["loadTests"],
): Promise<ReadonlyMap<string, EarlierValues>> {
  const { skipStartSeconds, skipEndSeconds } = later;
  const part = { skipStartSeconds, skipEndSeconds, selector };
  const rows = [...(await readMeasureRows(points, loadTests, part))];
  const { qualities } = await readTrendRows({ points }, loadTests, later);
  const runs = qualities.map((quality) => ({ quality }));
  const values = rows.map(([, row]) => row.values);
  const earlier = await earlierValues(values, runs);
  return new Map(rows.map(([key], at) => [key, earlier[at] as EarlierValues]));
}

type BlocksByKey = ReadonlyMap<string, Ratio>;

/** Enough to see how the values of a run vary, and few enough to be independent. */
const BLOCKS = 30;
const SECONDS_MIN = 30;
const USED_BLOCKS_MIN = 5;

/** How each measure varies within a run, unless its noise between runs is known. */
async function readBlocks(
  { measures, blocks }: MeasureSide,
  earlier: ReadonlyMap<string, EarlierValues>,
): Promise<BlocksByKey> {
  const isNeeded = timedOf(measures).some((each) => {
    const known = earlier.get(measureKey(each))?.values.count.filter((count) => count !== null);
    return known === undefined || known.length < EARLIER_MIN;
  });
  return isNeeded ? blocks() : new Map();
}

function timedOf(measures: MeasureSide["measures"]): readonly RunMeasure[] {
  return [...measures.values()].filter(({ from }) => from > 0);
}

async function blocksWithin(
  points: Store["points"],
  query: MeasuresQuery,
  measures: MeasureSide["measures"],
): Promise<BlocksByKey> {
  const timed = timedOf(measures);
  const from = Math.min(...timed.map((each) => each.from));
  const until = Math.max(...timed.map((each) => each.until)) + 1;
  if (until - from < SECONDS_MIN) return new Map();
  const resolutionSeconds = Math.ceil((until - from) / BLOCKS);
  const { series } = await readMeasureSeries(points, {
    ...query,
    range: query.range ?? { from, until },
    resolutionSeconds,
    limit: measures.size,
  });
  const first = Math.floor(from / resolutionSeconds);
  return new Map(
    series.map((each) => [measureKey(each), blocksIn(each, first, resolutionSeconds)]),
  );
}

type Series = MeasureSeriesJson["series"][number];

/** Sums by block over what they are shares of: values, or seconds of a counter. */
function blocksIn(
  { kind, seconds, count, sum, mean }: Series,
  first: number,
  length: number,
): Ratio {
  const counts = new Float64Array(BLOCKS + 2);
  const requests = new Float64Array(BLOCKS + 2);
  const end = Math.floor((seconds.at(-1) ?? 0) / length) - first;
  if (kind === "counter") requests.fill(length, 0, end + 1);
  for (const [point, second] of seconds.entries()) {
    const block = Math.floor(second / length) - first;
    counts[block] = (kind === "gauge" ? mean[point] : sum[point]) ?? 0;
    if (kind !== "counter") requests[block] = kind === "gauge" ? 1 : (count[point] ?? 0);
  }
  return ratioOf({ counts, requests });
}

interface Context {
  readonly earlier: ReadonlyMap<string, EarlierValues>;
  readonly baseAt: number;
  /** Two-sided, of one statistic. */
  readonly errorProbability: number;
  readonly blocksOf: Pair<BlocksByKey>;
}

function compareOne(
  key: string,
  { base, later }: Pair<MeasureSide>,
  context: Context,
): ComparedMeasure {
  const [earlier, now] = [base.measures.get(key), later.measures.get(key)];
  const measure = (now ?? earlier) as RunMeasure;
  const { name, unit, kind, tags, endpoint } = measure;
  const identity = { name, unit, kind, tags, ...(endpoint && { endpoint }) };
  const isSame = areSame(earlier, now);
  const values = FIGURE_OF[kind].map(([statistic, figure]) => {
    const known = changeOf(figure, earlier?.[statistic], now?.[statistic]);
    const tested = isSame ? SAME : testOf(key, { statistic, figure }, known, context);
    return [statistic, { ...known, ...tested }] as const;
  });
  const worse = worseDirection(measure);
  const about = {
    ...identity,
    worse,
    count: { base: earlier?.count ?? 0, value: now?.count ?? 0 },
    ...Object.fromEntries(values),
  };
  if (earlier === undefined) return { ...about, verdict: "new" };
  if (now === undefined) return { ...about, verdict: "gone" };
  const verdict = verdictOf(values, kind === "rate", worse);
  const isUnknown = values.every(([, { isSignificant }]) => isSignificant === undefined);
  const reason = verdict === "inconclusive" && isUnknown ? reasonOf(values) : undefined;
  return { ...about, verdict, ...(reason && { reason }) };
}

const SAME = { low: 0, high: 0, isSignificant: false, atMost: 0 } as const;

/** Of one run and itself, or a copy: noise cannot hide a change. */
function areSame(base: RunMeasure | undefined, value: RunMeasure | undefined): boolean {
  if (base === undefined || value === undefined) return false;
  return (["count", "sum", "rate", "mean", "min", "max", "p50", "p95", "p99"] as const).every(
    (figure) => base[figure] === value[figure],
  );
}

function changeOf(figure: TrendFigure, base?: number, value?: number): ComparedValue {
  if (base === undefined) return value === undefined ? {} : { value };
  if (value === undefined) return { base };
  if (figure === "errRate") return { base, value, change: value - base };
  return base <= 0 ? { base, value } : { base, value, change: value / base - 1 };
}

interface Tested {
  readonly statistic: MeasureStatistic;
  readonly figure: TrendFigure;
}

/** What noise does not explain; nothing if it is not known. */
function testOf(
  key: string,
  { statistic, figure }: Tested,
  { base, value, change }: ComparedValue,
  { earlier, baseAt, errorProbability, blocksOf }: Context,
): ComparedValue {
  if (base === undefined || value === undefined || change === undefined) return {};
  const own = earlier.get(key);
  const between = own && runNoise(own, figure, { base, value, baseAt, errorProbability });
  if (between !== undefined) {
    return {
      ...limitsOf(between.limits),
      ...excludedBy(between.limitsAt(EXCLUDED_ERROR)),
      betweenRuns: between.noise,
    };
  }
  const ratios = { base: blocksOf.base.get(key), later: blocksOf.later.get(key) };
  if (statistic !== "mean" && statistic !== "rate") return {};
  return withoutFalseVerdict(testWithin(ratios, figure, errorProbability), change);
}

/** Blocks leave out seconds without values, so an "unchanged" verdict is dropped if the total change lies outside of its limits. */
function withoutFalseVerdict(within: ComparedValue, change: number): ComparedValue {
  const { low = 0, high = 0 } = within;
  const isContradictory = low <= 0 && high >= 0 && (change < low || change > high);
  return isContradictory ? {} : within;
}

/** By how the values within the two runs vary; nothing if there are too few. */
function testWithin(
  { base, later }: Pair<Ratio | undefined>,
  figure: TrendFigure,
  errorProbability: number,
): ComparedValue {
  if (base === undefined || later === undefined) return {};
  if (Math.min(base.usedBlocks, later.usedBlocks) < USED_BLOCKS_MIN) return {};
  const within = { base, later };
  const limitsAt = (probability: number): Limits => {
    if (figure === "errRate") return shareDifference(within, probability);
    const test = { least: Number.MIN_VALUE, errorProbability: probability };
    const { low, high } = ratioLimits(within, test);
    return { low: Math.expm1(low), high: Math.expm1(high) };
  };
  const limits = limitsAt(errorProbability);
  if (limits.high === Infinity && limits.low <= -1) return {};
  return { ...limitsOf(limits), ...excludedBy(limitsAt(EXCLUDED_ERROR)) };
}

function excludedBy({ low, high }: Limits): Pick<ComparedValue, "atMost"> {
  const atMost = Math.max(high, -low);
  return Number.isFinite(atMost) ? { atMost } : {};
}

type Values = readonly (readonly [statistic: MeasureStatistic, compared: ComparedValue])[];

function verdictOf(
  values: Values,
  isShare: boolean,
  worse: ComparedMeasure["worse"],
): MeasureVerdict {
  const changes = values.flatMap(([, { isSignificant, change = 0 }]) =>
    isSignificant === true && (isShare || Math.abs(change) >= CHANGE_MIN) ? [change] : [],
  );
  if (changes.length > 0) {
    if (worse === "either") return "changed";
    const sign = worse === "higher" ? 1 : -1;
    return changes.some((change) => Math.sign(change) === sign) ? "worse" : "better";
  }
  const judged = values.filter(([statistic]) => statistic !== "max");
  const isExcluded = judged.every(([statistic, { atMost = Infinity, isSignificant }]) => {
    // Of percentiles, the noise within runs is not known: then the mean decides.
    if (isSignificant === undefined && statistic !== "mean") return statistic !== "rate";
    if (isShare) return atMost < SHARE_MIN;
    return atMost < (TAILS.has(statistic) ? TAIL_MIN : CHANGE_MIN);
  });
  return isExcluded ? "unchanged" : "inconclusive";
}

function reasonOf(values: Values): string {
  const isZero = values.some(([, { base, change }]) => base !== undefined && change === undefined);
  return isZero
    ? "the base is not above 0, so that there is no ratio"
    : `noise is unknown: fewer than ${EARLIER_MIN} earlier runs have it, and the values within the two runs are too few`;
}
