import type {
  ComparedFigure,
  ComparedNoise,
  ComparedQuality,
  Comparison,
} from "../../api/compare.ts";
import type { QualityRemark } from "../../api/parts.ts";
import type { Figures, SummaryFigures } from "../../api/summary.ts";
import { possibleMicros } from "../../model/histogram.ts";
import type { MeasureSelector, TagMatch } from "../../model/measures/measure-selector.ts";
import { remarksOn } from "../../query/source-facts.ts";
import { conditionsText } from "../../series/merge-all-series.ts";
import type { LIMIT_COMPARISONS, LIMIT_OUTCOMES, Severity } from "../../api/thresholds.ts";
import type { TrendFigure, TrendChange } from "../../api/trend.ts";
import type { SeriesQuery } from "../trend/trend-series.ts";

export type CheckedHistory = Omit<SeriesQuery, "upTo">;

/**
 * `unmeasured`: no request; fails the check. `notEvaluated`: the figure is unknown; fails unless allowed.
 * `inconclusive`: growth beyond the limit that noise may explain; `unjudged`: too little data. These two fail only if asked to.
 */
export type LimitOutcome = (typeof LIMIT_OUTCOMES)[number];

/** Smallest and largest possible value of a figure; infinite without a limit. */
export type Bounds = readonly [least: number, most: number];

/** As JSON, which has no infinity. */
export function boundsJson([least, most]: Bounds): { least: number; most?: number } {
  return { least, ...(Number.isFinite(most) && { most }) };
}

export interface CheckedLimit {
  readonly limit: Limit;
  readonly outcome: LimitOutcome;
  /** In the unit of the limit. */
  readonly measured?: number | undefined;
  /** What `measured` may be with the rows that could not be read, if that is why the limit is not evaluated. */
  readonly possible?: Bounds | undefined;
  /** Whether the limit would be kept but for requests that the load generator did not send while it waited: see `possible`. */
  readonly isOmitted?: boolean;
  /** Whether a percentile is too imprecise to say if the limit is broken: it is kept. */
  readonly isWithinPrecision?: boolean;
  /** Whether growth and changes are differences of a share of true values. */
  readonly isShare?: boolean | undefined;
  /** Whether there is nothing to measure growth or changes against: the limit is unjudged. */
  readonly isWithoutBase?: boolean;
  /** Present for limits about growth. */
  readonly comparison?: Comparison | undefined;
  /** The growth that 9 of 10 checks find, where noise between runs is known. */
  readonly detectable?: number | undefined;
  /** Present for limits about growth. */
  readonly noise?: ComparedNoise | undefined;
  /** Present if growth was measured over pairs of load tests. */
  readonly pairs?: PairsFound | undefined;
  /** Present for limits about a change, if there is one. */
  readonly change?: TrendChange | undefined;
  /** Present for limits over a window: where `measured` is from. */
  readonly window?: JudgedWindow | undefined;
  /** Present for limits over a window of requests, if any is judged. */
  readonly newest?: NewestWindow | undefined;
  /** For limits about growth, also of the base. */
  readonly quality: ComparedQuality;
}

export type Judged = Omit<CheckedLimit, "quality">;

export interface PairsFound {
  readonly count: number;
  /** Pairs whose later load test has the larger figure. */
  readonly grown: number;
  /** Probability that noise alone makes such growth. */
  readonly chance: number;
  /** Fewest pairs that can break the limit. */
  readonly fewest: number;
}

/** The last of the windows in a row that broke a limit first, or the one closest to breaking it. */
export interface JudgedWindow {
  /** UNIX seconds. */
  readonly from: number;
  /** After its last second. */
  readonly until: number;
  readonly requests: number;
  readonly failedRequests: number;
}

interface NewestWindow {
  readonly measured: number;
  readonly window: JudgedWindow;
  /** While broken: the end of the first window such that it, the one before and all later ones break the limit. */
  readonly brokenSince?: number | undefined;
  /** Whether it and the one before it both break the limit, or both keep it. */
  readonly isBroken: boolean;
  readonly isKept: boolean;
}

export type LimitUnit = "seconds" | "share" | "count" | "perSecond";

export interface Limit {
  /** As written. */
  readonly text: string;
  /** `undefined`: all selected endpoints. */
  readonly label: string | undefined;
  /** Selects the measure that it is about. @default requests */
  readonly selector?: MeasureSelector | undefined;
  /** Of a selector with several series: see `measureKey`. @default the only one */
  readonly series?: string | undefined;
  readonly figure: LimitedFigure;
  /** Those of the requests that it is about, as in `where`. @default all requests */
  readonly facets?: readonly TagMatch[] | undefined;
  /** `value`: the figure itself; `growth`: since another load test; `change`: of its level within a history. */
  readonly kind: "value" | "growth" | "change";
  readonly comparison: LimitComparison;
  /** In `unit`; for growth and change 0.1 is 10 %, for `errors` 10 percentage points. */
  readonly bound: number;
  readonly unit: LimitUnit;
  /** It is broken if the figure is, in windows in a row. @default the figure is that of the run */
  readonly window?: LimitWindow | undefined;
  /** Share of rows that may be unreadable, as if there were none. @default 0 */
  readonly allowRejected?: number | undefined;
  /** Pattern of labels in which `*` stands for any text: each endpoint that it matches is checked by itself. */
  readonly each?: string | undefined;
  /** Only from a thresholds file. */
  readonly policy?: LimitPolicy;
}

export interface LimitWindow {
  readonly seconds: number;
  /** Adjacent windows that must all break the limit. @default 2: a single bad second lies in only one of them */
  readonly inARow?: number;
  /** Seconds at the start of the run that no window holds. */
  readonly afterSeconds: number;
  /** Windows with fewer requests are not judged. @default any */
  readonly requestsMin?: number;
}

export const WINDOWS_IN_A_ROW = 2;

/** Seconds of the windows in a row that break a limit together. */
export function rowSeconds({ seconds, inARow = WINDOWS_IN_A_ROW }: LimitWindow): number {
  return inARow * seconds;
}

export interface LimitPolicy {
  readonly severity: Severity;
  readonly owner: string | undefined;
  /** A day in UTC, such as `2026-12-31`, and the reason; both or neither. */
  readonly acceptedUntil: string | undefined;
  readonly reason: string | undefined;
  /** Whether it passes without anything to judge. */
  readonly allowMissing?: boolean | undefined;
  /** Of a measure. @default what its name and unit tell */
  readonly better?: "higher" | "lower" | undefined;
  /** Whether that day is in the future. */
  readonly isAccepted: boolean;
}

/** As sent to clients. */
export function limitJson({ text, figure, unit, comparison, bound, ...limit }: Limit) {
  const { label: endpoint, selector, facets = [] } = limit;
  const about = { endpoint, measure: selector?.name, where: conditionsText(facets) };
  return { failIf: text, figure, unit, comparison, bound, ...about };
}

/** The labels that a limit is checked on, each by itself; `undefined`: all selected endpoints together. */
export type LabelsOf = (limit: Limit) => readonly (string | undefined)[];

export type LimitComparison = (typeof LIMIT_COMPARISONS)[number];

interface FigureKind {
  readonly units: readonly LimitUnit[];
  readonly read: Exclude<keyof Figures, "apdex" | "percentileOrigin" | "percentiles">;
  /** Absent if growth is not supported. */
  readonly compared?: ComparedFigure;
  /** Absent if trends do not have it. */
  readonly trend?: TrendFigure;
  /** Whether the precision is one histogram bucket. */
  readonly isPercentile?: true;
}

/** By their names in expressions. */
export const LIMITED_FIGURES = {
  avg: { units: ["seconds"], read: "avgLoadTime", compared: "avgLoadTime", trend: "avgLoadTime" },
  min: { units: ["seconds"], read: "minLoadTime" },
  max: { units: ["seconds"], read: "maxLoadTime" },
  p50: { units: ["seconds"], read: "p50", compared: "p50", trend: "p50", isPercentile: true },
  p90: { units: ["seconds"], read: "p90", isPercentile: true },
  p95: { units: ["seconds"], read: "p95", compared: "p95", trend: "p95", isPercentile: true },
  p99: { units: ["seconds"], read: "p99", compared: "p99", trend: "p99", isPercentile: true },
  "p99.9": { units: ["seconds"], read: "p999", isPercentile: true },
  errors: { units: ["share", "count"], read: "errRate", compared: "errRate", trend: "errRate" },
  requests: { units: ["count"], read: "count", trend: "count" },
  throughput: { units: ["perSecond"], read: "reqPerSec" },
} as const satisfies Record<string, FigureKind>;

type NamedFigure = keyof typeof LIMITED_FIGURES;

/** Statistics of measures besides percentiles. */
export const MEASURE_STATISTICS = ["avg", "min", "max", "sum", "count", "rate", "last"] as const;

/** A figure of the table, any other percentile, or one that only measures have. */
export type LimitedFigure = NamedFigure | `p${number}` | (typeof MEASURE_STATISTICS)[number];

const OTHER_PERCENTILE = { units: ["seconds"], read: undefined, isPercentile: true } as const;

export function isNamed(figure: string): figure is NamedFigure {
  return Object.hasOwn(LIMITED_FIGURES, figure);
}

export function kindOf(
  figure: LimitedFigure,
): FigureKind | (Partial<FigureKind> & typeof OTHER_PERCENTILE) {
  return isNamed(figure) ? LIMITED_FIGURES[figure] : OTHER_PERCENTILE;
}

/** The percentiles that a summary has only on request, each 0 to 100. */
export function percentsIn(limits: readonly Limit[]): readonly number[] {
  const others = limits.flatMap(({ figure, selector }) =>
    isNamed(figure) || selector !== undefined ? [] : [figure.slice(1)],
  );
  return [...new Set(others)].map(Number);
}

/** The figures that a limit is about; `undefined` if its endpoint has none. */
export function figuresIn(
  { overall, endpoints }: SummaryFigures,
  { label }: Pick<Limit, "label">,
): Figures | undefined {
  return label === undefined ? overall : withLabel(endpoints, label);
}

const INDEXES = new WeakMap<object, ReadonlyMap<string, number>>();

/** The endpoint with a label. The list, whose index is kept as long as it is used, must not change. */
export function withLabel<Labelled extends { readonly label: string }>(
  endpoints: readonly Labelled[],
  label: string,
): Labelled | undefined {
  const index = INDEXES.get(endpoints) ?? new Map(endpoints.map((each, at) => [each.label, at]));
  INDEXES.set(endpoints, index);
  const at = index.get(label);
  return at === undefined ? undefined : endpoints[at];
}

/** The limitations of `quality` that concern a limit on these figures. */
export function remarksFor(
  limit: Limit,
  figures: Figures | undefined,
  quality: readonly QualityRemark[],
): readonly QualityRemark[] {
  if (limit.selector !== undefined) return remarksOn(quality, ["measures"]);
  const isReported = figures?.percentileOrigin === "reported";
  const isTime = kindOf(limit.figure).units.includes("seconds");
  return remarksOn(quality, isTime ? ["times", isReported ? "reported" : "unmerged"] : []);
}

/** Whether growth below a negative bound is looked for. */
export function isFall({ kind, comparison }: Limit): boolean {
  return kind === "growth" && comparison.startsWith("<");
}

/** Which percentile it is; `undefined` if it is none. */
export function percentOfFigure(figure: LimitedFigure): number | undefined {
  return kindOf(figure).isPercentile && Number(figure.slice(1));
}

/** In the unit of the limit; `undefined` if unknown or without a request. */
export function measuredBy({ figure, unit }: Limit, figures: Figures): number | undefined {
  if (figures.count === 0 && figure !== "requests") return undefined;
  // Without timestamps there is no duration.
  if (figure === "throughput" && figures.range === 0) return undefined;
  // The share is rounded: one failure of three million would be none.
  if (figure === "errors")
    return unit === "count" ? figures.errCount : figures.errCount / figures.count;
  const { read } = kindOf(figure);
  return (read === undefined ? figures.percentiles?.[figure] : figures[read]) ?? undefined;
}

const IS_BEYOND: Readonly<Record<LimitComparison, (measured: number, bound: number) => boolean>> = {
  ">": (measured, bound) => measured > bound,
  ">=": (measured, bound) => measured >= bound,
  "<": (measured, bound) => measured < bound,
  "<=": (measured, bound) => measured <= bound,
  "==": (measured, bound) => measured === bound,
};

/** Range of exact values that `measured` can stand for, in the unit of the limit. */
export function possibleValues(
  { figure, bound }: Limit,
  measured: number,
  figures: Figures,
): Bounds {
  const [min, max] = [figures.minLoadTime ?? 0, figures.maxLoadTime ?? Infinity];
  // Averages are rounded to microseconds, and told from finer bounds by the half of one.
  if (figure === "avg" && measured !== bound) {
    return [Math.max(min, measured - HALF_MICRO), Math.min(max, measured + HALF_MICRO)];
  }
  // Values reported by a tool are exact.
  if (kindOf(figure).isPercentile === undefined || figures.percentileOrigin !== "computed") {
    return [measured, measured];
  }
  const { least, most } = possibleMicros(Math.round(measured * MICROS_PER_SECOND));
  return [Math.max(min, least / MICROS_PER_SECOND), Math.min(max, most / MICROS_PER_SECOND)];
}

const HALF_MICRO = 0.000_000_5;
const MICROS_PER_SECOND = 1_000_000;

export function isBeyond(measured: number, { comparison, bound }: Limit): boolean {
  return IS_BEYOND[comparison](measured, bound);
}

export interface CheckRules {
  readonly allowUnknown?: true;
  readonly failInconclusive?: true;
}

export function failsCheck(
  { outcome, limit: { policy }, isWithoutBase }: CheckedLimit,
  { allowUnknown, failInconclusive }: CheckRules = {},
): boolean {
  if (policy !== undefined && passes(policy, outcome)) return false;
  if (outcome === "notEvaluated") return allowUnknown !== true;
  if (outcome === "inconclusive" || outcome === "unjudged") {
    return failInconclusive === true && isWithoutBase !== true;
  }
  return outcome !== "kept";
}

function passes(
  { isAccepted, severity, allowMissing }: LimitPolicy,
  outcome: LimitOutcome,
): boolean {
  return isAccepted || severity === "warn" || (outcome === "unmeasured" && allowMissing === true);
}
