import {
  COMPARED_FIGURES,
  type ComparedFigure,
  type ComparedNoise,
  type ComparedRow,
  type Comparison,
  type LoadTestComparison,
} from "../../api/compare.ts";
import type { Store } from "../../store/store.ts";
import {
  compareLoadTests,
  type CompareQuery,
  ERROR_PROBABILITY,
  worstFirst,
} from "./compare-load-tests.ts";
import { compareMeasures } from "./compare-measures.ts";
import type { Limits } from "./compare-intervals.ts";
import {
  EXCLUDED_ERROR,
  isSame,
  limitsOf,
  TESTED_FIGURE_COUNT,
  verdictOf,
} from "./evaluate-row.ts";
import { EARLIER_MIN, type EarlierRuns, type EarlierValues, readEarlier } from "./earlier-runs.ts";
import { detectableChange, pooledNoise, runNoise, shiftLimitsBetween } from "./run-noise.ts";
import type { PooledSpread, RunSpread } from "./pool-spreads.ts";

/**
 * Compares two load tests by the noise within them and, given enough earlier runs in `history`, by that between runs.
 * Throws what `compareLoadTests` and `summarise` throw.
 */
export async function compareWithEarlier(
  store: Pick<Store, "points">,
  query: CompareQuery,
  earlier: EarlierRuns,
  history = store,
): Promise<LoadTestComparison> {
  const measures = await compareMeasures(store.points, query, earlier, {
    history: history.points,
  });
  const within = await compareLoadTests(store.points, query);
  const comparison = await withNoiseBetween(within, query, earlier, history);
  return { ...comparison, ...(measures.length > 0 && { measures }) };
}

/** A comparison by the noise within two load tests that also takes the noise between runs into account. Throws what `summarise` throws. */
export async function withNoiseBetween(
  comparison: LoadTestComparison,
  query: CompareQuery,
  earlier: EarlierRuns,
  history: Pick<Store, "points">,
): Promise<LoadTestComparison> {
  const { name, loadTests } = earlier;
  const isEnough = loadTests.length >= EARLIER_MIN;
  const read = isEnough ? await readEarlier(history, earlier, query) : undefined;
  const earlierRuns = { name, loadTests: read?.loadTests ?? loadTests.length };
  if (read === undefined || read.loadTests < EARLIER_MIN) {
    return {
      ...comparison,
      noise: { kind: "within", earlierRuns, message: unknownNoise(earlierRuns) },
    };
  }
  const { overall, byLabel } = read;
  const baseAt = placeOfBase(earlier, query);
  const tested = comparison.endpoints.filter((each) => each.errRate.isSignificant !== undefined);
  const errorProbability = ERROR_PROBABILITY / TESTED_FIGURE_COUNT;
  const pooled = new Map(
    COMPARED_FIGURES.map((figure) => [figure, pooledNoise(byLabel.values(), figure)]),
  );
  // All requests together vary less than those of an endpoint.
  const ofAll = { baseAt, errorProbability, pooled: new Map() };
  const ofEach = errorProbability / Math.max(1, tested.length);
  const ofEndpoint = { baseAt, errorProbability: ofEach, pooled };
  const endpoints = comparison.endpoints.map((row) => {
    const values = byLabel.get(row.label);
    return values === undefined ? row : { ...row, ...evaluateBetween(row, values, ofEndpoint) };
  });
  return {
    ...comparison,
    overall: evaluateBetween(comparison.overall, overall, ofAll),
    endpoints: worstFirst(endpoints),
    noise: { kind: "between", earlierRuns, message: knownNoise(earlierRuns) },
  };
}

type NamedRuns = ComparedNoise["earlierRuns"];

function unknownNoise({ name, loadTests }: NamedRuns): string {
  const earlier = loadTests === 1 ? "is 1 earlier run" : `are ${loadTests} earlier runs`;
  return (
    `noise between runs is unknown: there ${earlier} named ${JSON.stringify(name)}, ` +
    `and ${EARLIER_MIN} are needed`
  );
}

function knownNoise({ name, loadTests }: NamedRuns): string {
  return `noise between runs is measured over ${loadTests} earlier runs of ${JSON.stringify(name)}`;
}

/** Index of the base among the earlier runs; -1 if it is not, or if parts of runs are compared that earlier runs are not read of. */
function placeOfBase({ loadTests }: EarlierRuns, { base, later }: CompareQuery): number {
  if (base.range !== undefined || later.range !== undefined) return -1;
  return loadTests.findIndex(({ id }) => id === base.loadTestId);
}

interface BetweenQuery {
  readonly baseAt: number;
  readonly errorProbability: number;
  readonly pooled: ReadonlyMap<ComparedFigure, PooledSpread | undefined>;
}

function evaluateBetween(
  row: ComparedRow,
  earlier: EarlierValues,
  query: BetweenQuery,
): ComparedRow {
  if (isSame(row)) return row;
  const spreads: RunSpread[] = [];
  const tested = (figure: ComparedFigure): Comparison => {
    const within = row[figure];
    const { base, value, isSignificant } = within;
    if (base === undefined || value === undefined || isSignificant === undefined) return within;
    const pooled = query.pooled.get(figure);
    const between = runNoise(earlier, figure, { ...query, base, value, pooled });
    if (between === undefined) return within;
    if (figure === "avgLoadTime" || figure === "p50") spreads.push(between.spread);
    const least = leastBeyondWithin(figure, value, within);
    const noise = {
      ...between.noise,
      ...(least !== undefined && {
        detectable: detectableChange(figure, between.noise, query.errorProbability, least),
      }),
    };
    const changed = withLimits(within, between.limits);
    return { ...withAtMost(changed, between.limitsAt(EXCLUDED_ERROR)), betweenRuns: noise };
  };
  const figures = Object.fromEntries(
    COMPARED_FIGURES.map((figure) => [figure, tested(figure)]),
  ) as Record<ComparedFigure, Comparison>;
  const rows = { ...row, ...figures, shift: shiftBetween(row.shift, spreads, query) };
  return { ...rows, verdict: verdictOf(rows, row.count) };
}

/** The least value that is more than the noise within two runs, by the noise of these; `undefined` if none is. */
function leastBeyondWithin(
  figure: ComparedFigure,
  value: number,
  { low }: Comparison,
): number | undefined {
  if (low === undefined) return undefined;
  return figure === "errRate" ? value - low : value / (1 + low);
}

/** By the larger of the spreads: the shift itself is not in the history. */
function shiftBetween(
  shift: Comparison,
  spreads: readonly RunSpread[],
  { errorProbability }: BetweenQuery,
): Comparison {
  const [largest] = spreads.toSorted((left, right) => right.variance - left.variance);
  const { change, isSignificant } = shift;
  if (largest === undefined || change === undefined || isSignificant === undefined) return shift;
  const changed = withLimits(shift, shiftLimitsBetween(largest, change, errorProbability));
  return withAtMost(changed, shiftLimitsBetween(largest, change, EXCLUDED_ERROR));
}

/** What neither noise excludes. */
function withAtMost(within: Comparison, between: Limits): Comparison {
  if (within.atMost === undefined) return within;
  return { ...within, atMost: Math.max(within.atMost, between.high, -between.low) };
}

/** A change is significant where neither noise explains it. */
function withLimits(within: Comparison, between: Limits): Comparison {
  const { low: lowWithin = -Infinity, high: highWithin = Infinity, ...others } = within;
  const [low, high] = [Math.min(lowWithin, between.low), Math.max(highWithin, between.high)];
  return { ...others, ...limitsOf({ low, high }) };
}
