/** Ranks very many endpoints by a statistic, held in columns. */

import type { DataPoints } from "../model/data-points.ts";
import { BucketCounts } from "../model/buckets/bucket-counts.ts";
import { doHoldMilliseconds, exactTimesOf, rankOf, valueIn } from "../model/histogram.ts";
import type { Figures } from "../api/summary.ts";
import type { SortColumn } from "./sort-columns.ts";
import { quotientText } from "../render/quotient-text.ts";
import { sumOf } from "../model/columns.ts";

/** A statistic to sort by, except the label. */
export type SortFigure = Exclude<SortColumn, "label">;

const QUANTILES: Readonly<Partial<Record<SortFigure, number>>> = {
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  p999: 0.999,
};

/** Sort value of an endpoint with the points `[from, until)`: orders endpoints as the statistic in a summary does, with its ties. */
export type Ranking = (points: DataPoints, from: number, until: number) => number;

/** Sort value of an unknown statistic. */
const UNKNOWN = -1;

export function figureOf(figures: Figures, figure: SortFigure): number {
  return figure === "impact" ? impactOf(figures) : (figures[figure] ?? UNKNOWN);
}

/** Total time of requests above the endpoint's own median, in microseconds: requests × (average − median), at least 0. */
function impactOf({ count, untimedCount, avgLoadTime, p50 }: Figures): number {
  if (avgLoadTime === null || p50 === null) return UNKNOWN;
  const excess = Math.round(avgLoadTime * MILLION) - Math.round(p50 * MILLION);
  return (count - untimedCount) * Math.max(0, excess);
}

export function rankingBy(figure: SortFigure): Ranking {
  if (figure === "impact") return impactRanking();
  const quantile = QUANTILES[figure];
  return quantile === undefined ? SUMS[figure as keyof typeof SUMS] : quantileRanking(quantile);
}

const SUMS: Readonly<Record<Exclude<SortFigure, `p${number}` | "impact">, Ranking>> = {
  count: ({ requests }, from, until) => sumOf(requests, from, until),
  errCount: ({ failedRequests }, from, until) => sumOf(failedRequests, from, until),
  errRate: ({ failedRequests, requests }, from, until) =>
    quotient(sumOf(failedRequests, from, until), sumOf(requests, from, until)),
  avgLoadTime: (points, from, until) => {
    const timed = sumOfTimed(points, from, until);
    return timed === 0 ? UNKNOWN : roundedQuotient(sumOf(points.elapsedMicros, from, until), timed);
  },
  receivedBytes: ({ receivedBytes }, from, until) => sumOf(receivedBytes, from, until),
  reqPerSec: (points, from, until) => perSecond(points, points.requests, { from, until }),
  receivedBytesPerSec: (points, from, until) =>
    perSecond(points, points.receivedBytes, { from, until }),
  minLoadTime: ({ minMicros }, from, until) => extreme(minMicros, { from, until }, Math.min),
  maxLoadTime: ({ maxMicros }, from, until) => extreme(maxMicros, { from, until }, Math.max),
};

/** See `DistributionSum.quantiles`. */
function quantileRanking(q: number): Ranking {
  const counts = new BucketCounts();
  return (points, from, until) => {
    const rank = rankOf(q, sumOf(points.requests, from, until));
    const timed = sumOfTimed(points, from, until);
    const { bucketCount, bucketsFrom } = points;
    const [first, end] = [bucketsFrom[from] as number, bucketsFrom[until] as number];
    if (rank > timed || sumOf(bucketCount, first, end) !== timed) return UNKNOWN;
    const minMicros = SUMS.minLoadTime(points, from, until);
    if (rank === 1) return minMicros;
    const maxMicros = SUMS.maxLoadTime(points, from, until);
    if (rank >= timed) return maxMicros;
    counts.clear();
    counts.add(points, first, end);
    let [at, seen] = [-1, 0];
    while (seen < rank) {
      at = counts.next(at + 1);
      seen += counts.of(at);
    }
    const sums = [points.elapsedMicros, points.failedElapsedMicros].map((column) =>
      sumOf(column, from, until),
    );
    const times = exactTimesOf({ minMicros, maxMicros }, sums, () =>
      doHoldMilliseconds(points.bucket, first, end),
    );
    return valueIn(at, times);
  };
}

/** See `impactOf`. */
function impactRanking(): Ranking {
  const medianOf = quantileRanking(0.5);
  return (points, from, until) => {
    const median = medianOf(points, from, until);
    const average = SUMS.avgLoadTime(points, from, until);
    if (average === UNKNOWN || median === UNKNOWN) return UNKNOWN;
    return sumOfTimed(points, from, until) * Math.max(0, average - median);
  };
}

/** Requests with a response time. */
function sumOfTimed(points: DataPoints, from: number, until: number): number {
  const { requests, untimedRequests } = points;
  return sumOf(requests, from, until) - sumOf(untimedRequests, from, until);
}

function extreme(
  column: Float64Array,
  { from, until }: { readonly from: number; readonly until: number },
  choose: (one: number, other: number) => number,
): number {
  let found = column[from] as number;
  for (let point = from + 1; point < until; point++) found = choose(found, column[point] as number);
  return Number.isFinite(found) ? found : UNKNOWN;
}

/** Divided by the seconds from the first to the last, inclusive; ignores second 0, which is the first if there is one. */
function perSecond(
  { second, windowSeconds }: DataPoints,
  column: Float64Array,
  { from, until }: { readonly from: number; readonly until: number },
): number {
  const begin = second[from] === 0 ? from + 1 : from;
  if (begin === until) return 0;
  let end = 0;
  for (let point = begin; point < until; point++) {
    end = Math.max(end, (second[point] as number) + (windowSeconds?.[point] ?? 1));
  }
  return quotient(sumOf(column, begin, until), end - (second[begin] as number));
}

const MILLION = 1_000_000;

/** Rounded to 6 places like summaries; 0 if the divisor is 0. */
function quotient(numerator: number, denominator: number): number {
  if (denominator === 0) return 0;
  if (numerator * MILLION <= Number.MAX_SAFE_INTEGER) {
    return roundedQuotient(numerator * MILLION, denominator) / MILLION;
  }
  return Number(quotientText(BigInt(numerator), BigInt(denominator)));
}

/** Rounds to an integer, half away from zero. */
function roundedQuotient(numerator: number, denominator: number): number {
  const whole = Math.floor(numerator / denominator);
  return whole + (2 * (numerator - whole * denominator) >= denominator ? 1 : 0);
}
