import type { LoadTestComparison } from "../../api/compare.ts";
import type { SummaryFigures } from "../../api/summary.ts";
import { worseDirection } from "../../model/measures/worse-direction.ts";
import type { SecondRange } from "../../model/second-range.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import { judgeChange } from "./check-history.ts";
import {
  checkMeasure,
  compareEach,
  comparedStatistic,
  measureOf,
  readMeasures,
  selectorOf,
  seriesKey,
} from "./check-measures.ts";
import { withDoubtOfMeasure } from "./doubt.ts";
import { judgeGrowth } from "./judge-growth.ts";
import type { CheckedHistory, Judged, Limit } from "./limit.ts";
import {
  type MeasuredRuns,
  noiseFigureOf,
  readMeasuredRuns,
  trendOfMeasure,
} from "./measure-trend.ts";

interface MeasuresQuery {
  readonly later: ComparedPart;
  /** Of `later`, without ramps. */
  readonly range: SecondRange | undefined;
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
  const { later, range, base, limits, summaries, errorProbability } = query;
  const measures = await readMeasures(reader, { ...later, range }, limits);
  const compared =
    base === undefined ? undefined : await compareEach(reader, { base, later }, limits);
  const changes = await readChanges(reader, query);
  return (limit) => {
    const found =
      limit.kind === "growth"
        ? checkGrowth(limit, compared, errorProbability)
        : (changes.get(limit) ?? checkMeasure(limit, measures));
    const values = measureOf(limit, measures)?.count ?? 0;
    const doubtful = limit.kind === "growth" ? summaries : summaries.slice(0, 1);
    return doubtful.reduce((judged, each) => withDoubtOfMeasure(judged, each, values), found);
  };
}

/** Growth of a measure. */
function checkGrowth(
  limit: Limit,
  compared: ReadonlyMap<string, LoadTestComparison> | undefined,
  errorProbability: number,
): Judged {
  const { measures, noise } = compared?.get(selectorOf(limit)) ?? {};
  const row = measures?.find(
    (each) => limit.series === undefined || seriesKey(each) === limit.series,
  );
  if (row === undefined) return { limit, outcome: "unmeasured" };
  const isShare = row.kind === "rate";
  const comparison = comparedStatistic(limit.figure, row);
  const figure = isShare ? "errRate" : "avgLoadTime";
  const judged = judgeGrowth(limit, { figure, row, comparison, errorProbability });
  return { limit, isShare, measured: comparison?.change, comparison, noise, ...judged };
}

/** Judges limits on changes of measures. */
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
