import { bucketOf, bucketWidth } from "../../model/histogram.ts";
import type { Figures } from "../../query/figures.ts";

/** So many values before and after one are its neighbours. */
const REACH = 3;

/** Noise reaches three times as far as this share of the values lies from the middle of its neighbours. */
const SHARE = 0.9;

const REACHES = 3;

/** A level is no shorter, but for one that goes on at the end of the series. */
export const LEVEL_MIN = 3;

/** The figures that a trend shows, as `Figures` names them. */
export const TREND_FIGURES = ["count", "errRate", "avgLoadTime", "p50", "p95", "p99"] as const;
export type TrendFigure = (typeof TREND_FIGURES)[number];

/** One value for each load test of a series; `undefined` in those without a request. */
export type TrendValues = Readonly<Record<TrendFigure, readonly (number | undefined)[]>>;

/** What a load test adds to a trend; `undefined` where it has no request, or the figure is unknown. */
export function trendValue(figures: Figures, figure: TrendFigure): number | undefined {
  return figures.count === 0 ? undefined : (figures[figure] ?? undefined);
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
  const series = { values: pulledIn, measured: scaled, varianceMin, unscaled };
  if (!PERCENTILES.has(figure)) return series;
  const resolutionAt = resolutionOf(knownOf(values[figure]));
  return {
    ...series,
    areAlike(one, other) {
      const [least, most] = [unscaled(Math.min(one, other)), unscaled(Math.max(one, other))];
      return most - least <= resolutionAt(most);
    },
  };
}

const PERCENTILES: ReadonlySet<TrendFigure> = new Set(["p50", "p95", "p99"]);

const MICROS_PER_SECOND = 1_000_000;
/** Neighbouring values are not told apart by what computing with logarithms changes. */
const TOLERANCE = 1e-9;

/** How far the next percentile lies from one of so many seconds: a bucket, or a whole millisecond. */
function resolutionOf(percentiles: Float64Array): (seconds: number) => number {
  const micros = percentiles.map((seconds) => Math.round(seconds * MICROS_PER_SECOND));
  const isOfMillis = micros.every(
    (each) => each % 1000 === 0 || bucketWidth(bucketOf(each)) > 1000,
  );
  return (seconds) => {
    const bucket = bucketWidth(bucketOf(Math.round(seconds * MICROS_PER_SECOND)));
    return Math.max(bucket, isOfMillis ? 1000 : 0) / MICROS_PER_SECOND + TOLERANCE;
  };
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

/** What change points are looked for in: one figure over the load tests of a series, in their order. */
export interface LevelSeries {
  /** On a scale on which noise is alike everywhere. */
  readonly values: Float64Array;
  /** Variance that noise has at least, by how exactly the figure is measured. */
  readonly varianceMin: number;
  /** Whether two averages differ by no more than one value and the next that can be measured. @default never */
  readonly areAlike?: (one: number, other: number) => boolean;
}

/** A part of a series: indexes of its values, half open. */
export interface Part {
  readonly from: number;
  readonly until: number;
}

/** A part that is cut in two: the second half begins `at`. */
export interface Split extends Part {
  readonly at: number;
}

/**
 * The same values, those that lie far from their neighbours pulled in to where noise reaches: a load
 * test that went wrong would make all noise look large, and hide every change. What lasts for four load
 * tests or more stays as it is.
 */
export function pullInOutliers(values: Float64Array, varianceMin: number): Float64Array {
  const middles = values.map((_, index) =>
    medianOf(values.slice(Math.max(0, index - REACH), index + REACH + 1)),
  );
  const distances = values.map((value, index) => Math.abs(value - (middles[index] as number)));
  const usual = distances.toSorted()[Math.ceil(SHARE * values.length) - 1] ?? 0;
  const reach = REACHES * Math.max(usual, 2 * Math.sqrt(varianceMin));
  return values.map((value, index) => {
    const middle = middles[index] as number;
    return Math.min(middle + reach, Math.max(middle - reach, value));
  });
}

/** 0 where there is no value. */
function medianOf(values: Float64Array): number {
  const sorted = values.toSorted();
  const middle = sorted.length / 2;
  const lower = sorted[Math.ceil(middle) - 1] ?? 0;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return (lower + upper) / 2;
}
