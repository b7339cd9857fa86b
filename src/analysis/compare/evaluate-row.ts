import {
  COMPARED_FIGURES,
  type ComparedFigure,
  type ComparedRow,
  type Comparison,
  type Verdict,
} from "../../api/compare.ts";
import type { Figures } from "../../api/summary.ts";
import {
  averageLimits,
  failureLimits,
  type TestedPair,
  testedPair,
  type Limits,
  quantileLimits,
} from "./compare-intervals.ts";
import { type CompareBlocks, REQUESTS_MIN } from "./compare-blocks.ts";
import type { Pair } from "./compare-noise.ts";
import { type Shift, shiftLimits } from "./compare-shift.ts";
import { figuresOf } from "../../query/figures.ts";

/** Smaller differences need no action, however certain. */
const CHANGE_MIN = 0.05;

const LIMITS: Readonly<Record<ComparedFigure, (tested: TestedPair) => Limits>> = {
  errRate: failureLimits,
  avgLoadTime: averageLimits,
  p50: (tested) => quantileLimits(tested, 0.5),
  p95: (tested) => quantileLimits(tested, 0.95),
  p99: (tested) => quantileLimits(tested, 0.99),
};

/** Figures per row, including the shift. */
export const TESTED_FIGURE_COUNT = COMPARED_FIGURES.length + 1;

/** Without an error probability, there is too little data for a verdict. */
export function evaluateRow(
  pair: Pair<CompareBlocks>,
  shift: Shift | undefined,
  errorProbability: number | undefined,
): ComparedRow {
  const tested = errorProbability === undefined ? undefined : testedPair(pair, errorProbability);
  const base = figuresOf(pair.base.sum);
  const later = figuresOf(pair.later.sum);
  const compare = (figure: ComparedFigure): Comparison => {
    const known = measured(figure, base, later);
    const isUnknown = known.base === undefined || known.value === undefined;
    if (tested === undefined || isUnknown) return known;
    const scale = figure === "errRate" ? undefined : Math.expm1;
    return { ...known, ...limitsOf(LIMITS[figure](tested), scale) };
  };
  const rows = {
    shift: tested === undefined || shift === undefined ? {} : compareShift(shift, tested),
    errRate: compare("errRate"),
    avgLoadTime: compare("avgLoadTime"),
    p50: compare("p50"),
    p95: compare("p95"),
    p99: compare("p99"),
  };
  const count = { base: base.count, value: later.count };
  return { verdict: verdictOf(rows, count), count, ...rows };
}

function measured(figure: ComparedFigure, earlier: Figures, later: Figures): Comparison {
  const base = earlier.count === 0 ? undefined : (earlier[figure] ?? undefined);
  const value = later.count === 0 ? undefined : (later[figure] ?? undefined);
  if (base === undefined) return value === undefined ? {} : { value };
  if (value === undefined) return { base };
  if (figure === "errRate") return { base, value, change: value - base };
  return base === 0 ? { base, value } : { base, value, change: value / base - 1 };
}

function compareShift(shift: Shift, { deviations }: TestedPair): Comparison {
  const change = Math.expm1(shift.later.average - shift.base.average);
  return { change, ...limitsOf(shiftLimits(shift, deviations), Math.expm1) };
}

/** A change is significant where its limits exclude 0. */
export function limitsOf(
  { low, high }: Limits,
  scale = (limit: number): number => limit,
): Partial<Comparison> {
  return {
    ...(low === -Infinity ? {} : { low: scale(low) }),
    ...(high === Infinity ? {} : { high: scale(high) }),
    isSignificant: low > 0 || high < 0,
  };
}

/** Growth outweighs decline: a release is judged by its worst side. */
export function verdictOf(
  { errRate, shift, avgLoadTime, p50, p95, p99 }: Omit<ComparedRow, "verdict" | "count">,
  count: ComparedRow["count"],
): Verdict {
  if (count.base === 0) return "new";
  if (count.value === 0) return "gone";
  const times = [shift, avgLoadTime, p50, p95, p99];
  // The share of failures is known for any number of requests.
  if (errRate.isSignificant === undefined) {
    return Math.min(count.base, count.value) < REQUESTS_MIN ? "tooFew" : "tooShort";
  }
  const changes = times
    .filter(({ isSignificant }) => isSignificant)
    .map(({ change = 0 }) => change);
  if (changes.some((change) => change >= CHANGE_MIN)) return "slower";
  if (changes.some((change) => change <= -CHANGE_MIN)) return "faster";
  const isAlike = times.every(({ change = 0 }) => Math.abs(change) < CHANGE_MIN);
  return isAlike && isExcluded(shift) ? "unchanged" : "inconclusive";
}

/** Whether the change is certainly too small to act on. */
function isExcluded({ low = -Infinity, high = Infinity }: Comparison): boolean {
  return low > -CHANGE_MIN && high < CHANGE_MIN;
}
