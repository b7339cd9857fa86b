import { possibleMicros } from "../../model/histogram.ts";
import type { ComparedFigure, Comparison } from "../compare/compare-judge.ts";
import type { ComparedQuality } from "../compare/compare-load-tests.ts";
import type { Figures } from "../../query/figures.ts";
import type { TrendFigure } from "../trend/trend-figures.ts";
import type { SeriesQuery } from "../trend/trend-series.ts";
import type { TrendChange } from "../trend/read-trend.ts";

/** The load tests before the one that is checked. */
export type CheckedHistory = Omit<SeriesQuery, "upTo">;

/**
 * What became of a limit. `unmeasured`: no request to measure; always fails the check.
 * `notEvaluated`: there are requests, but the figure is unknown; fails the check unless the user
 * allows it. `unjudged`: too little data to tell growth or a change from noise; does not fail it.
 */
export type LimitOutcome = "kept" | "broken" | "unmeasured" | "notEvaluated" | "unjudged";

export interface CheckedLimit {
  readonly limit: Limit;
  readonly outcome: LimitOutcome;
  /** In the unit of the limit. */
  readonly measured: number | undefined;
  /** Whether a percentile is not known exactly enough to say if its exact value breaks the limit: it is kept. */
  readonly isWithinPrecision?: boolean;
  /** Where the limit is about growth. */
  readonly comparison: Comparison | undefined;
  /** Where the limit is about a change, and there is one. */
  readonly change: TrendChange | undefined;
  /** What the figure cannot tell; of the base where the limit is about growth. */
  readonly quality: ComparedQuality;
}

/** What a limit is measured in. */
export type LimitUnit = "seconds" | "share" | "count" | "perSecond";

/** A condition under which a check fails. */
export interface Limit {
  /** As it was written. */
  readonly text: string;
  /** Label of the endpoint; `undefined`: all that is selected as one. */
  readonly label: string | undefined;
  readonly figure: LimitedFigure;
  /**
   * Whether the figure itself is measured, by how much it has grown since another load test, or by how
   * much its level has changed, up or down, in a history of load tests.
   */
  readonly about: "value" | "growth" | "change";
  readonly comparison: LimitComparison;
  /** In `unit`. Of growth and change: 0.1 for 10 %, and of `errors` for 10 percentage points. */
  readonly bound: number;
  readonly unit: LimitUnit;
}

export const LIMIT_COMPARISONS = [">=", "<=", ">", "<"] as const;
export type LimitComparison = (typeof LIMIT_COMPARISONS)[number];

interface FigureKind {
  readonly units: readonly LimitUnit[];
  /** What it is called in a summary. */
  readonly read: Exclude<keyof Figures, "apdex" | "percentiles">;
  /** Absent where growth is not judged. */
  readonly compared?: ComparedFigure;
  /** Absent where a trend does not have it. */
  readonly trend?: TrendFigure;
  /** Whether the figure is known only as exactly as a bucket of the histogram is wide. */
  readonly isPercentile?: true;
}

/** The figures that can be limited, by the names that expressions use. */
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

export type LimitedFigure = keyof typeof LIMITED_FIGURES;

/** `undefined` where growth of the figure is not judged. */
export function comparedFigureOf(figure: LimitedFigure): ComparedFigure | undefined {
  const kind: FigureKind = LIMITED_FIGURES[figure];
  return kind.compared;
}

/** `undefined` where a trend does not have the figure. */
export function trendFigureOf(figure: LimitedFigure): TrendFigure | undefined {
  const kind: FigureKind = LIMITED_FIGURES[figure];
  return kind.trend;
}

/** Whether the figure is a response time. */
export function isTime({ figure }: Limit): boolean {
  const { units }: FigureKind = LIMITED_FIGURES[figure];
  return units.includes("seconds");
}

/** What a limit measures, in its unit; `undefined` where it is unknown, or there is no request. */
export function measuredBy({ figure, unit }: Limit, figures: Figures): number | undefined {
  if (figures.count === 0 && figure !== "requests") return undefined;
  // Without any instant there is no range to divide by.
  if (figure === "throughput" && figures.range === 0) return undefined;
  if (figure === "errors" && unit === "count") return figures.errCount;
  const kind: FigureKind = LIMITED_FIGURES[figure];
  return figures[kind.read] ?? undefined;
}

const IS_BEYOND: Readonly<Record<LimitComparison, (measured: number, bound: number) => boolean>> = {
  ">": (measured, bound) => measured > bound,
  ">=": (measured, bound) => measured >= bound,
  "<": (measured, bound) => measured < bound,
  "<=": (measured, bound) => measured <= bound,
};

/** The smallest and the largest exact value that `measured` of these figures can stand for, in the unit of the limit. */
export function possibleValues(
  { figure }: Limit,
  measured: number,
  figures: Figures,
): readonly [least: number, most: number] {
  const kind: FigureKind = LIMITED_FIGURES[figure];
  // What a tool reports is taken as it is.
  if (kind.isPercentile === undefined || figures.percentiles !== "computed") {
    return [measured, measured];
  }
  const { least, most } = possibleMicros(Math.round(measured * MICROS_PER_SECOND));
  return [
    Math.max(figures.minLoadTime ?? 0, least / MICROS_PER_SECOND),
    Math.min(figures.maxLoadTime ?? Infinity, most / MICROS_PER_SECOND),
  ];
}

const MICROS_PER_SECOND = 1_000_000;

/** Whether a limit is broken by what was measured. */
export function isBeyond(measured: number, { comparison, bound }: Limit): boolean {
  return IS_BEYOND[comparison](measured, bound);
}
