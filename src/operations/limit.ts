import type { ComparedFigure } from "./compare-judge.ts";
import type { Figures } from "./figures.ts";
import type { TrendFigure } from "./trend/trend-figures.ts";

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
  readonly read: Exclude<keyof Figures, "apdex">;
  /** Absent where growth is not judged. */
  readonly compared?: ComparedFigure;
  /** Absent where a trend does not have it. */
  readonly trend?: TrendFigure;
}

/** The figures that can be limited, by the names that expressions use. */
export const LIMITED_FIGURES = {
  avg: { units: ["seconds"], read: "avgLoadTime", compared: "avgLoadTime", trend: "avgLoadTime" },
  min: { units: ["seconds"], read: "minLoadTime" },
  max: { units: ["seconds"], read: "maxLoadTime" },
  p50: { units: ["seconds"], read: "p50", compared: "p50", trend: "p50" },
  p90: { units: ["seconds"], read: "p90" },
  p95: { units: ["seconds"], read: "p95", compared: "p95", trend: "p95" },
  p99: { units: ["seconds"], read: "p99", compared: "p99", trend: "p99" },
  "p99.9": { units: ["seconds"], read: "p999" },
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

/** What a limit measures, in its unit; `undefined` where there is no request to measure. */
export function measuredBy({ figure, unit }: Limit, figures: Figures): number | undefined {
  if (figures.count === 0 && figure !== "requests") return undefined;
  if (figure === "errors" && unit === "count") return figures.errCount;
  const kind: FigureKind = LIMITED_FIGURES[figure];
  return figures[kind.read];
}

const IS_BEYOND: Readonly<Record<LimitComparison, (measured: number, bound: number) => boolean>> = {
  ">": (measured, bound) => measured > bound,
  ">=": (measured, bound) => measured >= bound,
  "<": (measured, bound) => measured < bound,
  "<=": (measured, bound) => measured <= bound,
};

/** Whether a limit is broken by what was measured. */
export function isBeyond(measured: number, { comparison, bound }: Limit): boolean {
  return IS_BEYOND[comparison](measured, bound);
}
