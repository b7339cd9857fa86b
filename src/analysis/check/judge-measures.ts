import type { ComparedMeasure, Comparison, LoadTestComparison } from "../../api/compare.ts";
import type { MeasureSeriesJson } from "../../api/measures.ts";
import type { SummaryFigures } from "../../api/summary.ts";
import { TREND_FIGURES, type Trend, type TrendFigure } from "../../api/trend.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import type { SecondRange } from "../../model/columns.ts";
import { isOfEndpoints } from "../../model/measures/measure-selector.ts";
import { worseDirection } from "../../model/measures/worse-direction.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { EARLIER_MAX, earlierIn } from "../compare/earlier-runs.ts";
import { runNoise } from "../compare/run-noise.ts";
import { type LoadTestReader, type SeriesOfWindows, readSteadyRange } from "../load-test-reader.ts";
import { findChanges } from "../trend/find-changes.ts";
import { PERCENTILE_STEP, measureKey } from "../trend/measure-runs.ts";
import { reportedChange } from "../trend/read-trend.ts";
import type { TrendPart } from "../trend/run-values.ts";
import { comparableValues } from "../trend/trend-figures.ts";
import { judgeChange } from "./check-history.ts";
import {
  type ReadMeasures,
  type SelectedMeasure,
  checkMeasure,
  compareEach,
  comparedStatistic,
  measureOf,
  readMeasures,
  divisorOf,
  selectorOf,
  statisticOf,
} from "./check-measures.ts";
import { judgeWindows } from "./check-windows.ts";
import { withDoubtOfMeasure } from "./doubt.ts";
import { judgeGrowth } from "./judge-growth.ts";
import {
  type CheckedHistory,
  isBeyond,
  type Judged,
  type Limit,
  type LimitedFigure,
  type LimitWindow,
  WINDOWS_IN_A_ROW,
} from "./limit.ts";

interface MeasuresQuery {
  readonly later: ComparedPart;
  /** Of `later`, without ramps. */
  readonly range: SecondRange | undefined;
  /** Where windows are judged. */
  readonly span: SecondRange | undefined;
  readonly base: ComparedPart | undefined;
  readonly history: CheckedHistory | undefined;
  readonly limits: readonly Limit[];
  /** Of `later` and of `base`, for what could not be read. */
  readonly summaries: readonly SummaryFigures[];
  /** Two-sided, of one limit on growth. */
  readonly errorProbability: number;
}

/** Reads what it takes to judge the limits on measures. Throws what a comparison throws. */
export async function prepareMeasures(
  reader: LoadTestReader,
  query: MeasuresQuery,
): Promise<(limit: Limit) => Judged> {
  const { later, range, span, base, limits, summaries, errorProbability } = query;
  const measures = await readMeasures(reader, { ...later, range }, limits);
  const compared =
    base === undefined ? undefined : await compareEach(reader, { base, later }, limits);
  const changes = await readChanges(reader, query);
  const windows = await judgeMeasureWindows(reader, { loadTestId: later.loadTestId, span }, limits);
  const growths = await readOtherGrowth(reader, query, compared);
  return (limit) => {
    const found =
      limit.kind === "growth"
        ? (growths.get(limit) ?? checkGrowth(limit, compared, errorProbability))
        : (windows.get(limit) ?? changes.get(limit) ?? checkMeasure(limit, measures));
    const values = measureOf(limit, measures)?.count ?? 0;
    const doubtful = limit.kind === "growth" ? summaries : summaries.slice(0, 1);
    return doubtful.reduce((judged, each) => withDoubtOfMeasure(judged, each, values), found);
  };
}

type Compared = ReadonlyMap<string, LoadTestComparison> | undefined;

function checkGrowth(limit: Limit, compared: Compared, errorProbability: number): Judged {
  const { noise } = compared?.get(selectorOf(limit)) ?? {};
  const row = rowOf(limit, compared);
  if (row === undefined) return { limit, outcome: "unmeasured" };
  const isShare = row.kind === "rate";
  const comparison = comparedStatistic(limit.figure, row);
  const figure = isShare ? "errRate" : "avgLoadTime";
  const judged = judgeGrowth(limit, { figure, row, comparison, errorProbability });
  return { limit, isShare, measured: comparison?.change, comparison, noise, ...judged };
}

function rowOf(limit: Limit, compared: Compared): ComparedMeasure | undefined {
  const rows = compared?.get(selectorOf(limit))?.measures;
  return rows?.find((each) => limit.series === undefined || measureKey(each) === limit.series);
}

function isOther(limit: Limit, compared: Compared): boolean {
  const row = limit.kind === "growth" ? rowOf(limit, compared) : undefined;
  return row !== undefined && comparedStatistic(limit.figure, row) === undefined;
}

/** Judges growth of statistics that comparisons do not have, by the noise between earlier runs. */
async function readOtherGrowth(
  reader: LoadTestReader,
  { later, range, base, limits, errorProbability }: MeasuresQuery,
  compared: Compared,
): Promise<ReadonlyMap<Limit, Judged>> {
  const judged = new Map<Limit, Judged>();
  const others = limits.filter((limit) => isOther(limit, compared));
  const noise = compared?.values().next().value?.noise;
  if (base === undefined || noise === undefined || others.length === 0) return judged;
  const { loadTestId: upTo, ...part } = later;
  const history = { name: noise.earlierRuns.name, last: EARLIER_MAX + 1, ignoreBaseline: true };
  const all = await reader.trend({ ...history, ...part, upTo });
  const trend = { ...all, loadTests: all.loadTests.slice(0, -1) };
  const runs = await readMeasuredRuns(reader, trend, later, others);
  const ofBase = { ...base, range: await readSteadyRange(reader, base) };
  const sides = {
    base: await readMeasures(reader, ofBase, others),
    value: await readMeasures(reader, { ...later, range }, others),
  };
  const baseAt = trend.loadTests.findIndex(({ id }) => id === base.loadTestId);
  for (const limit of others) {
    const figure = noiseFigureOf(limit, [sides.value]);
    const earlier = earlierIn(await trendOfMeasure(trend, runs, limit, figure));
    const compareSides = (from: number, to: number): Comparison => {
      const pair = { base: from, value: to, baseAt, errorProbability };
      const betweenRuns = runNoise(earlier, figure, pair)?.noise;
      const known = { base: from, value: to, change: to / from - 1 };
      return betweenRuns === undefined ? known : { ...known, betweenRuns, isSignificant: true };
    };
    const [from, to] = [measureOf(limit, sides.base), measureOf(limit, sides.value)];
    const comparison = compareKnown(valueOf(limit, from), valueOf(limit, to), compareSides);
    const row = { count: { base: from?.count ?? 0, value: to?.count ?? 0 } };
    const found = judgeGrowth(limit, { figure, row, comparison, errorProbability });
    judged.set(limit, { limit, measured: comparison.change, comparison, noise, ...found });
  }
  return judged;
}

/** Ratios need a base above 0. */
function compareKnown(
  base: number | undefined,
  value: number | undefined,
  compare: (base: number, value: number) => Comparison,
): Comparison {
  const isKnown = base !== undefined && value !== undefined && base > 0;
  return isKnown ? compare(base, value) : { base, value };
}

function valueOf(limit: Limit, measure: SelectedMeasure | undefined): number | undefined {
  return measure && statisticOf({ ...limit, unit: "count" }, measure);
}

async function readChanges(
  reader: LoadTestReader,
  { later, history, limits }: Pick<MeasuresQuery, "later" | "history" | "limits">,
): Promise<ReadonlyMap<Limit, Judged>> {
  const own = limits.filter(({ kind, selector }) => kind === "change" && selector !== undefined);
  if (history === undefined || own.length === 0) return new Map();
  const { loadTestId: upTo, selection, ...part } = later;
  const trend = await reader.trend({ ...history, upTo, selection, ...part });
  const runs = await readMeasuredRuns(reader, trend, later, own);
  const judged = new Map<Limit, Judged>();
  for (const limit of own) {
    const figure = noiseFigureOf(limit, runs);
    const whole = await trendOfMeasure(trend, runs, limit, figure);
    const hasBaseline = trend.since !== undefined;
    const found = judgeChange(limit, whole, { hash: undefined, figure, hasBaseline });
    const isShare = figure === "errRate";
    judged.set(limit, { ...withoutBetter(found, runs), isShare });
  }
  return judged;
}

/** A change for the better is none that fails. */
function withoutBetter(judged: Judged, runs: MeasuredRuns): Judged {
  const { limit, change } = judged;
  const last = runs.at(-1);
  const measure = last && measureOf(limit, last);
  if (measure === undefined || change === undefined) return judged;
  const { better } = limit.policy ?? {};
  const known = better === "higher" ? "lower" : "higher";
  const worse = better === undefined ? worseDirection(measure) : known;
  const isBetter = worse === (change.after > change.before ? "lower" : "higher");
  return isBetter ? { ...judged, outcome: "kept" } : judged;
}

type Series = MeasureSeriesJson["series"][number];

/** Most seconds of a run in which windows of measures are judged: five days. */
const SECONDS_MAX = 500_000;

const MINUTE = 60;

/** Judges limits on measures over windows. Throws what `LoadTestReader.measureSeries` throws. */
async function judgeMeasureWindows(
  reader: Pick<LoadTestReader, "measureSeries">,
  { loadTestId, span }: { readonly loadTestId: string; readonly span: SecondRange | undefined },
  limits: readonly Limit[],
): Promise<ReadonlyMap<Limit, Judged>> {
  const judged = new Map<Limit, Judged>();
  const own = limits.filter(({ window }) => window !== undefined);
  for (const alike of Map.groupBy(own, selectorOf).values()) {
    const isShort = span !== undefined && span.until - span.from <= SECONDS_MAX;
    const query = { loadTestId, range: span, selector: alike[0]?.selector };
    const { series } = isShort ? await reader.measureSeries(query) : { series: [] };
    for (const limit of alike) {
      const found = series.find(
        (each) => limit.series === undefined || limit.series === measureKey(each),
      );
      judged.set(
        limit,
        isShort ? await judge(limit, found, span) : { limit, outcome: "notEvaluated" },
      );
    }
  }
  return judged;
}

async function judge(limit: Limit, series: Series | undefined, span: SecondRange): Promise<Judged> {
  if (series === undefined) return { limit, outcome: "unmeasured" };
  const divisor = divisorOf(limit.unit, limit.figure, series);
  if (divisor === undefined || isStoredByMinute(limit, series)) {
    return { limit, outcome: "notEvaluated" };
  }
  const windows = await windowsOf(series, limit, { span, divisor });
  const judged = await judgeWindows(limit, { series: windows, span });
  if (judged.outcome !== "kept" || hasRow(limit, windows.labels)) return judged;
  const doesAnyBreak = windows.avgLoadTime.some((each) => each !== null && isBeyond(each, limit));
  return doesAnyBreak ? { ...judged, outcome: "notEvaluated" } : judged;
}

/** Whether enough windows in a row to break a limit have a value: never if values are rarer than windows. */
function hasRow({ window }: Limit, starts: readonly number[]): boolean {
  const { seconds, inARow = WINDOWS_IN_A_ROW } = window as LimitWindow;
  const all = new Set(starts);
  const row = Array.from({ length: inARow }, (_, at) => at * seconds);
  return starts.some((start) => row.every((after) => all.has(start + after)));
}

/** Whether there is one value per minute, as for measures of endpoints. */
function isStoredByMinute({ selector }: Limit, { endpoint, seconds }: Series): boolean {
  const isOfEndpoint = endpoint !== undefined || (selector && isOfEndpoints(selector));
  return isOfEndpoint === true && seconds.every((second) => second % MINUTE === 0);
}

interface Scaled {
  readonly span: SecondRange;
  /** To the unit of the limit. */
  readonly divisor: number;
}

/** The windows that hold a value, with the statistic of the limit; their requests are values. */
async function windowsOf(
  series: Series,
  { figure, window }: Limit,
  { span, divisor }: Scaled,
): Promise<SeriesOfWindows> {
  const { seconds, count, sum, mean } = series;
  const { seconds: length, afterSeconds } = window as LimitWindow;
  const yielder = new Yielder();
  const found = { labels: [] as number[], count: [] as number[], values: [] as number[] };
  const held = { from: 0, until: 0, count: 0, sum: 0, means: 0 };
  const add = (at: number, sign: 1 | -1): void => {
    held.count += sign * (count[at] ?? 0);
    held.sum += sign * (sum[at] ?? 0);
    held.means += sign * (mean[at] ?? 0);
  };
  for (let begin = span.from + afterSeconds; begin + length <= span.until; begin++) {
    if (yielder.isDue()) await yielder.next();
    for (; (seconds[held.until] ?? Infinity) < begin + length; held.until++) add(held.until, 1);
    for (; held.from < held.until && (seconds[held.from] ?? 0) < begin; held.from++)
      add(held.from, -1);
    if (held.from === held.until) {
      // Clears rounding errors of adding and subtracting.
      Object.assign(held, { count: 0, sum: 0, means: 0 });
      continue;
    }
    found.labels.push(begin);
    found.count.push(held.count);
    // Values are stored to nine decimals: further ones are rounding errors of sums.
    const value = windowValueOf(figure, series, { ...held, length }).toFixed(9);
    found.values.push(Number(value) / divisor);
  }
  return {
    labels: found.labels,
    count: found.count,
    errCount: [],
    avgLoadTime: found.values,
    percentiles: { [figure]: found.values },
    percentileOrigin: "reported",
  };
}

interface Held {
  /** Indexes. */
  readonly from: number;
  readonly until: number;
  readonly count: number;
  readonly sum: number;
  /** Sum of the averages of each second. */
  readonly means: number;
  readonly length: number;
}

function windowValueOf(figure: LimitedFigure, { kind, last, mean }: Series, held: Held): number {
  if (figure === "count") return held.count;
  if (figure === "sum") return held.sum;
  const lastOne = Array.isArray(last) ? last : mean;
  if (figure === "last") return lastOne[held.until - 1] ?? Number.NaN;
  if (figure === "rate" && kind !== "rate") return held.sum / held.length;
  return kind === "gauge" ? held.means / (held.until - held.from) : held.sum / held.count;
}

/** The measures of each run of a trend, in its order. */
type MeasuredRuns = readonly ReadMeasures[];

/** Reads what limits select of each run of a trend. Throws what `LoadTestReader.measures` throws. */
async function readMeasuredRuns(
  reader: LoadTestReader,
  { loadTests }: Trend,
  part: TrendPart,
  limits: readonly Limit[],
): Promise<MeasuredRuns> {
  const runs: ReadMeasures[] = [];
  for (const { id: loadTestId } of loadTests) {
    const range = await readSteadyRange(reader, { ...part, range: undefined, loadTestId });
    runs.push(await readMeasures(reader, { loadTestId, range }, limits));
  }
  return runs;
}

/** The figure whose noise is most like that of the statistic: a share, a percentile, or a positive number. */
function noiseFigureOf(limit: Limit, runs: MeasuredRuns): TrendFigure {
  const latest = runs.map((run) => measureOf(limit, run)).findLast((each) => each !== undefined);
  if (latest?.kind === "rate" && ["avg", "rate"].includes(limit.figure)) return "errRate";
  return /^p\d/.test(limit.figure) ? "p95" : "avgLoadTime";
}

/** Returns the trend of the statistic of a measure, as if it were `figure` of all requests. */
async function trendOfMeasure(
  trend: Trend,
  runs: MeasuredRuns,
  limit: Limit,
  figure: TrendFigure,
): Promise<Trend> {
  const found = runs.map((run) => measureOf(limit, run));
  const own = found.map((each) => (each && statisticOf({ ...limit, unit: "count" }, each)) ?? null);
  const none = own.map((): null => null);
  const counts = found.map((each) => (figure === "errRate" ? each?.count : each && 1) ?? null);
  const lists = TREND_FIGURES.map((name) => [name, name === figure ? own : none]);
  const overall = {
    ...Object.fromEntries(lists),
    count: counts,
    relativeStep: PERCENTILE_STEP,
  } as Trend["overall"];
  const [changes = []] = await findChanges([comparableValues(overall, trend.loadTests)]);
  const latestFirst = changes.toSorted((left, right) => right.at - left.at);
  return {
    ...trend,
    overall,
    endpoints: [],
    changes: latestFirst.map(({ before, after, ...each }) => {
      const reported = reportedChange({ about: {}, before, after, ...each }, trend.loadTests);
      // Unlike times of requests, values of measures may be below a millionth.
      return { ...reported, before, after };
    }),
  };
}
