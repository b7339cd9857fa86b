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
  type LimitsAt,
  quantileLimits,
  shiftLimits,
} from "./compare-intervals.ts";
import { type CompareBlocks, REQUESTS_MIN } from "./compare-blocks.ts";
import type { Pair } from "./compare-noise.ts";
import type { Shift } from "./compare-shift.ts";
import { figuresOf } from "../../query/figures.ts";

/** Smaller differences need no action, however certain. */
export const CHANGE_MIN = 0.05;

/** Of runs with the same shift, p95 may differ by as much. */
const P95_CHANGE_MIN = 0.25;

/** Two-sided: a change up and one down are excluded with 5 % each, two one-sided tests [8]. */
export const EXCLUDED_ERROR = 0.1;

const LIMITS: Readonly<Record<ComparedFigure, (tested: TestedPair) => LimitsAt>> = {
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
  const tested = errorProbability === undefined ? undefined : testedPair(pair, shift);
  const base = figuresOf(pair.base.sum);
  const later = figuresOf(pair.later.sum);
  if (tested !== undefined && pair.base.equals(pair.later)) return sameRow(base);
  const compare = (figure: ComparedFigure): Comparison => {
    const known = measured(figure, base, later);
    const isUnknown = known.base === undefined || known.value === undefined;
    if (tested === undefined || errorProbability === undefined || isUnknown) return known;
    const scale = figure === "errRate" ? undefined : Math.expm1;
    const limitsAt = LIMITS[figure](tested);
    const limits = limitsOf(limitsAt(errorProbability), scale);
    if (figure !== "p95") return { ...known, ...limits };
    return { ...known, ...limits, ...excludedBeyond(limitsAt(EXCLUDED_ERROR)) };
  };
  const rows = {
    shift:
      tested === undefined || errorProbability === undefined || shift === undefined
        ? {}
        : compareShift(shift, errorProbability),
    errRate: compare("errRate"),
    avgLoadTime: compare("avgLoadTime"),
    p50: compare("p50"),
    p95: compare("p95"),
    p99: compare("p99"),
  };
  const count = { base: base.count, value: later.count };
  return { verdict: verdictOf(rows, count), count, ...rows };
}

/** Of one run and itself, or a copy: noise cannot hide a change. */
function sameRow(figures: Figures): ComparedRow {
  const limits = { low: 0, high: 0, isSignificant: false } as const;
  const compared = (figure: ComparedFigure): Comparison => ({
    ...measured(figure, figures, figures),
    ...(figures[figure] !== null && limits),
  });
  return {
    verdict: "unchanged",
    count: { base: figures.count, value: figures.count },
    shift: { change: 0, ...limits, atMost: 0 },
    errRate: compared("errRate"),
    avgLoadTime: compared("avgLoadTime"),
    p50: compared("p50"),
    p95: { ...compared("p95"), ...(figures.p95 !== null && { atMost: 0 }) },
    p99: compared("p99"),
  };
}

/** Whether both runs have the same requests at the same places: else shares of failures are never certain. */
export function isSame({ errRate }: ComparedRow): boolean {
  return errRate.low === 0 && errRate.high === 0;
}

function measured(figure: ComparedFigure, earlier: Figures, later: Figures): Comparison {
  const base = earlier.count === 0 ? undefined : (earlier[figure] ?? undefined);
  const value = later.count === 0 ? undefined : (later[figure] ?? undefined);
  if (base === undefined) return value === undefined ? {} : { value };
  if (value === undefined) return { base };
  if (figure === "errRate") return { base, value, change: value - base };
  return base === 0 ? { base, value } : { base, value, change: value / base - 1 };
}

function compareShift(shift: Shift, errorProbability: number): Comparison {
  const change = Math.expm1(shift.later.average - shift.base.average);
  const limitsAt = shiftLimits(shift);
  const limits = limitsOf(limitsAt(errorProbability), Math.expm1);
  return { change, ...limits, ...excludedBeyond(limitsAt(EXCLUDED_ERROR)) };
}

/** Of limits by logarithms. */
function excludedBeyond({ low, high }: Limits): Pick<Comparison, "atMost"> {
  const atMost = Math.max(Math.expm1(high), -Math.expm1(low));
  return atMost < Infinity && low > -Infinity ? { atMost } : {};
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
  const isExcluded = isWithin(shift, CHANGE_MIN) && isWithin(p95, P95_CHANGE_MIN);
  return isExcluded && !times.some(isLikely) ? "unchanged" : "inconclusive";
}

/** Whether a larger change is excluded. */
function isWithin({ atMost = Infinity }: Comparison, size: number): boolean {
  return atMost < size;
}

/** Whether a change that matters is not proven, but as large a change the other way is excluded. */
function isLikely({ change = 0, low = -Infinity, high = Infinity }: Comparison): boolean {
  if (Math.abs(change) < CHANGE_MIN) return false;
  const mirrored = 1 / (1 + change) - 1;
  return change > 0 ? low > mirrored : high < mirrored;
}
