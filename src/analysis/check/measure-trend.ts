import { TREND_FIGURES, type Trend, type TrendFigure } from "../../api/trend.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import { readSteadyRange } from "../load-test-reader.ts";
import { PERCENTILE_STEP } from "../trend/measure-runs.ts";
import { findChanges } from "../trend/find-changes.ts";
import { reportedChange } from "../trend/read-trend.ts";
import { comparableValues } from "../trend/trend-figures.ts";
import type { TrendPart } from "../trend/run-values.ts";
import { measureOf, readMeasures, type ReadMeasures, statisticOf } from "./check-measures.ts";
import type { Limit } from "./limit.ts";

/** The measures of each run of a trend, in its order. */
export type MeasuredRuns = readonly ReadMeasures[];

/** Reads what limits select of each run of a trend. Throws what `LoadTestReader.measures` throws. */
export async function readMeasuredRuns(
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

/** What the noise of a statistic is like: that of a share, of a percentile, or of a positive number. */
export function noiseFigureOf(limit: Limit, runs: MeasuredRuns): TrendFigure {
  const latest = runs.map((run) => measureOf(limit, run)).findLast((each) => each !== undefined);
  if (latest?.kind === "rate" && ["avg", "rate"].includes(limit.figure)) return "errRate";
  return /^p\d/.test(limit.figure) ? "p95" : "avgLoadTime";
}

/** Returns the trend of the statistic of a measure, as if it were `figure` of all requests. */
export async function trendOfMeasure(
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
    changes: latestFirst.map((each) => reportedChange({ about: {}, ...each }, trend.loadTests)),
  };
}
