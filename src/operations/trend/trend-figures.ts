import type { Figures } from "../figures.ts";
import type { LevelSeries } from "./levels.ts";
import { pullInOutliers } from "./pull-in-outliers.ts";

/** The figures that a trend shows, as `Figures` names them. */
export const TREND_FIGURES = ["count", "errRate", "avgLoadTime", "p50", "p95", "p99"] as const;
export type TrendFigure = (typeof TREND_FIGURES)[number];

/** One value for each load test of a series; `undefined` in those without a request. */
export type TrendValues = Readonly<Record<TrendFigure, readonly (number | undefined)[]>>;

/** What a load test adds to a trend; `undefined` where it has no request. */
export function trendRow(figures: Figures): Readonly<Record<TrendFigure, number>> | undefined {
  const { count, errRate, avgLoadTime, p50, p95, p99 } = figures;
  if (p50 === undefined || p95 === undefined || p99 === undefined) return undefined;
  return { count, errRate, avgLoadTime, p50, p95, p99 };
}

/** Percentiles are within 1 % of the truth, and 0.5 % is about what that is as a standard deviation. */
const RESOLUTION = 0.005;

/** A figure on the scale that its change points are looked for on. */
export interface ScaledFigure extends LevelSeries {
  /** With outliers as they are, where `values` has them pulled in. */
  readonly measured: Float64Array;
  /** A value of that scale in the unit of the figure. */
  unscaled(value: number): number;
}

/**
 * The values that are there: counts and times by their logarithms, since what matters
 * of them is a ratio, and shares of failures by the arcsine of their root, on which the noise of few
 * failures and of many is alike.
 */
export function scaledFigure(figure: TrendFigure, values: TrendValues): ScaledFigure {
  const { scaled, unscaled, varianceMin } = scaleOf(figure, values);
  const pulledIn = pullInOutliers(scaled, varianceMin);
  return { values: pulledIn, measured: scaled, varianceMin, unscaled };
}

function scaleOf(figure: TrendFigure, values: TrendValues) {
  const known = knownOf(values[figure]);
  if (figure === "errRate") {
    const typical = averageOf(knownOf(values.count));
    return {
      scaled: known.map((share) => Math.asin(Math.sqrt(share))),
      unscaled: (value: number) => Math.sin(value) ** 2,
      // Of the arcsine of the root of a share of so many.
      varianceMin: 1 / (4 * typical),
    };
  }
  const varianceMin = RESOLUTION ** 2;
  if (known.every((value) => value > 0)) {
    return { scaled: known.map(Math.log), unscaled: Math.exp, varianceMin };
  }
  // Times of 0 have no logarithm: by the average of all, which is a ratio, too.
  const average = averageOf(known) || 1;
  return {
    scaled: known.map((value) => value / average),
    unscaled: (value: number) => value * average,
    varianceMin,
  };
}

function knownOf(values: readonly (number | undefined)[]): Float64Array {
  return Float64Array.from(values.filter((value) => value !== undefined));
}

function averageOf(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
