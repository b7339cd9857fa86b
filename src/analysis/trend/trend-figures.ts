import type { Figures } from "../../api/summary.ts";
import {
  TREND_FIGURES,
  type TrendFigure,
  type TrendLoadTest,
  type TrendValues,
} from "../../api/trend.ts";
import { bucketOf, bucketWidth } from "../../model/buckets/bucket-layout.ts";
import { averageOf, medianOf } from "../../model/columns.ts";

/** Neighbours of a value on either side. */
const REACH = 3;

/** Noise reaches three times as far as this share of the deviations from the median of the neighbours. */
const SHARE = 0.9;

const REACHES = 3;

/** Minimum length of a level, unless it is the last. */
export const LEVEL_MIN = 3;

/** `null` without a request, or if unknown. */
export function trendValue(
  figures: Pick<Figures, TrendFigure>,
  figure: TrendFigure,
): number | null {
  return figures.count === 0 ? null : figures[figure];
}

/** Codes of runs that no other one is compared with: rows that were not read may have been anything. */
const UNREAD: ReadonlySet<string> = new Set(["rows-rejected", "truncated", "totals-differ"]);

type ReadRun = Pick<TrendLoadTest, "quality">;

export function isReadWhole({ quality }: ReadRun): boolean {
  return quality.every(({ code }) => !UNREAD.has(code));
}

/** The values among which changes are found: without those of earlier runs that were not read as a whole. */
export function comparableValues<Values extends TrendValues>(
  values: Values,
  loadTests: readonly ReadRun[],
): Values {
  return valuesOfWhole(values, [...loadTests.slice(0, -1), { quality: [] }]);
}

/** Without those of runs that were not read as a whole. */
export function valuesOfWhole<Values extends TrendValues>(
  values: Values,
  loadTests: readonly ReadRun[],
): Values {
  const isWhole = loadTests.map(isReadWhole);
  if (!isWhole.includes(false)) return values;
  const lists = TREND_FIGURES.map((figure) => {
    return [figure, values[figure].map((value, at) => (isWhole[at] === true ? value : null))];
  });
  return { ...values, ...Object.fromEntries(lists) };
}

/** A smaller standard deviation is taken for this. */
const RESOLUTION = 0.005;

export interface ScaledFigure extends LevelSeries {
  /** Before outliers were pulled in. */
  readonly measured: Float64Array;
  /** Converts back to the unit of the figure. */
  unscaled(value: number): number;
}

/** Values of requests, or of a measure that has such noise. */
export type LevelValues = TrendValues & {
  /** Share by which neighbouring percentiles differ. @default as those of response times */
  readonly relativeStep?: number;
};

/** Counts and times as logarithms, as ratios matter; shares as arcsines of their roots, to stabilise the variance. */
export function scaledFigure(figure: TrendFigure, values: LevelValues): ScaledFigure {
  const { scaled, unscaled, varianceMin } = scaleOf(figure, values);
  const pulledIn = pullInOutliers(scaled, varianceMin);
  const series = { values: pulledIn, measured: scaled, varianceMin, unscaled };
  if (!PERCENTILES.has(figure)) return series;
  const { relativeStep } = values;
  if (relativeStep !== undefined) {
    return { ...series, areAlike: (one, other) => Math.abs(one - other) <= relativeStep };
  }
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
/** Rounding error of logarithms. */
const TOLERANCE = 1e-9;

/** Distance to the next percentile: a bucket or a whole millisecond. */
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
      // Variance of the arcsine of the root of a share.
      varianceMin: 1 / (4 * typical),
    };
  }
  const varianceMin = RESOLUTION ** 2;
  if (known.every((value) => value > 0)) {
    return { scaled: known.map(Math.log), unscaled: Math.exp, varianceMin };
  }
  // Times of 0 have no logarithm: divide by the average instead.
  const average = averageOf(known) || 1;
  return {
    scaled: known.map((value) => value / average),
    unscaled: (value: number) => value * average,
    varianceMin,
  };
}

function knownOf(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values.filter((value) => value !== null));
}

/** One figure over the load tests of a series, in their order. */
export interface LevelSeries {
  /** On a scale with equal noise everywhere. */
  readonly values: Float64Array;
  /** Minimum variance, by the precision of the figure. */
  readonly varianceMin: number;
  /** Whether averages differ by at most one measurable step. @default never */
  readonly areAlike?: (one: number, other: number) => boolean;
}

/** Half-open range of indexes. */
export interface Part {
  readonly from: number;
  readonly until: number;
}

/** The second half begins `at`. */
export interface Split extends Part {
  readonly at: number;
}

/** Pulls outliers to within the reach of noise, as they would hide every change. Levels of four or more load tests stay. */
export function pullInOutliers(values: Float64Array, varianceMin: number): Float64Array {
  const middles = values.map(
    (own, index) => medianOf(values.subarray(Math.max(0, index - REACH), index + REACH + 1)) ?? own,
  );
  const distances = values.map((value, index) => Math.abs(value - (middles[index] as number)));
  const usual = distances.toSorted()[Math.ceil(SHARE * values.length) - 1] ?? 0;
  const reach = REACHES * Math.max(usual, 2 * Math.sqrt(varianceMin));
  return values.map((value, index) => {
    const middle = middles[index] as number;
    return Math.min(middle + reach, Math.max(middle - reach, value));
  });
}
