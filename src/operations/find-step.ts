/**
 * The largest step in the 95th percentile of response times. A step is told only where three things
 * hold: the percentile of the minute after it is at least 1.5 times that of the minute before; most of
 * that happens within seconds, so that a slow rise is no step; and the share of slow requests differs
 * by far more than chance explains, so that a percentile between two humps does not count.
 */

import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { bucketFloor, bucketOf } from "../model/histogram.ts";
import { DistributionSum } from "./distribution-sum.ts";
import type { TimeSlice } from "./time-slice.ts";

/** Seconds on either side that are compared, and those in which most of the change has to happen. */
const SIDE_SECONDS = 60;
const EDGE_SECONDS = 15;
const RATIO_MIN = 1.5;
const RATIO_ALIKE = 0.9;
/** With thousands of places looked at, chance reaches 4 standard deviations, hardly ever 6. */
const ANYWHERE = { requestsMin: 200, deviationsMin: 6 };
/** Where it is known already when to look. */
export const AT_A_STEP = { requestsMin: 50, deviationsMin: 3 };
const EDGE_REQUESTS_MIN = 40;
/** So many times the share of slow requests before. */
const SLOW_SHARE_RATIO_MIN = 1.5;

export interface Step {
  /** First second of the time after the step. */
  readonly at: number;
  readonly beforeMicros: number;
  readonly afterMicros: number;
  /** First second at which it was over; `undefined` where it held until the end. */
  readonly backAt: number | undefined;
}

type Columns = SumColumns & DistributionColumns;

/** The largest step up of the series, if there is one. Its seconds ascend. */
export async function findStep(series: Columns, slice: TimeSlice): Promise<Step | undefined> {
  const candidates: Candidate[] = [];
  for (const at of series.second) {
    const candidate = candidateAt(series, at);
    if (candidate !== undefined) candidates.push(candidate);
    if (slice.isOver()) await slice.next();
  }
  // Seconds around a step are much the same by their ratio; the sharpest of them is its place.
  const largest = candidates.reduce((most, { ratio }) => Math.max(most, ratio), 0);
  const [found] = candidates
    .filter(({ ratio }) => ratio > largest * RATIO_ALIKE)
    .toSorted((left, right) => right.sharpness - left.sharpness);
  if (found === undefined) return undefined;
  const { at, beforeMicros, afterMicros } = found;
  return { at, beforeMicros, afterMicros, backAt: endOf(series, found) };
}

/** Whether the distribution before and the one after differ as a step does. */
export function isSlower(
  before: DistributionSum,
  after: DistributionSum,
  { requestsMin, deviationsMin } = ANYWHERE,
): boolean {
  if (Math.min(Number(before.requests), Number(after.requests)) < requestsMin) return false;
  const [low, high] = [percentile95(before), percentile95(after)];
  if (high < low * RATIO_MIN) return false;
  // Slow is what lies above the middle of both, on a logarithmic axis.
  const middle = middleOf(low, high);
  const slowBefore = shareAbove(before, middle);
  const slowAfter = shareAbove(after, middle);
  if (slowAfter < slowBefore * SLOW_SHARE_RATIO_MIN) return false;
  const deviation = Math.sqrt(varianceOf(before, slowBefore) + varianceOf(after, slowAfter));
  return slowAfter - slowBefore > deviationsMin * deviation;
}

interface Candidate extends Omit<Step, "backAt"> {
  readonly ratio: number;
  /** By how much the share of slow requests differs between the seconds before and after. */
  readonly sharpness: number;
}

function candidateAt(series: Columns, at: number): Candidate | undefined {
  const before = sumOfSpan(series, at - SIDE_SECONDS, at);
  if (Number(before.requests) < ANYWHERE.requestsMin || !coversSide(before)) return undefined;
  const after = sumOfSpan(series, at, at + SIDE_SECONDS);
  if (!coversSide(after) || !isSlower(before, after)) return undefined;
  const [beforeMicros, afterMicros] = [percentile95(before), percentile95(after)];
  const ratio = afterMicros / beforeMicros;
  const [edgeBefore, edgeAfter] = [
    sumOfSpan(series, at - EDGE_SECONDS, at),
    sumOfSpan(series, at, at + EDGE_SECONDS),
  ];
  const fewest = Math.min(Number(edgeBefore.requests), Number(edgeAfter.requests));
  if (fewest < EDGE_REQUESTS_MIN) return undefined;
  if (percentile95(edgeAfter) / percentile95(edgeBefore) < Math.sqrt(ratio)) return undefined;
  const middle = middleOf(beforeMicros, afterMicros);
  const sharpness = shareAbove(edgeAfter, middle) - shareAbove(edgeBefore, middle);
  return { at, beforeMicros, afterMicros, ratio, sharpness };
}

/** The middle on a logarithmic axis, at the begin of its bucket. */
function middleOf(low: number, high: number): number {
  return bucketFloor(bucketOf(Math.round(Math.sqrt(low * high))));
}

/** Requests from begin to end of a side, not in a corner of it. */
function coversSide({ from, until }: DistributionSum): boolean {
  return until - from >= SIDE_SECONDS * 0.75;
}

/** When the minute from there on was back below the middle of before and after. */
function endOf(series: Columns, { at, beforeMicros, afterMicros }: Omit<Step, "backAt">) {
  const middle = middleOf(beforeMicros, afterMicros);
  return series.second.find((second) => {
    if (second < at + SIDE_SECONDS) return false;
    const from = sumOfSpan(series, second, second + SIDE_SECONDS);
    return Number(from.requests) >= ANYWHERE.requestsMin && percentile95(from) < middle;
  });
}

/** All points of `[from, until)` as one. */
export function sumOfSpan(series: Columns, from: number, until: number): DistributionSum {
  const sum = new DistributionSum();
  sum.addSpan(series, { from, until });
  return sum;
}

function percentile95(sum: DistributionSum): number {
  return Math.max(1, sum.quantiles([0.95])[0] ?? 1);
}

function shareAbove(sum: DistributionSum, micros: number): number {
  return 1 - sum.requestsWithin(micros) / Number(sum.requests);
}

/** Of a share; one that is 0 or 1 could as well be half a request off. */
function varianceOf({ requests }: DistributionSum, share: number): number {
  const count = Number(requests);
  const careful = (share * count + 0.5) / (count + 1);
  return (careful * (1 - careful)) / count;
}
