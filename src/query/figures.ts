import type { Figures, PercentileOrigin } from "../api/summary.ts";
import { exactNumber } from "../model/exact.ts";
import { millionths } from "../model/reported-percentiles.ts";
import type { Extent } from "../model/source-quality.ts";
import { quotientText } from "../render/quotient-text.ts";
import type { DistributionSum } from "../series/distribution-sum.ts";

/** Parameters of statistics besides the data points. */
export interface FiguresContext {
  /** Apdex threshold T; the sum must have its passed requests. @default no Apdex */
  readonly apdexMicros?: number | undefined;
  /** Additional percentiles, each 0 to 100. @default none */
  readonly percents?: readonly number[] | undefined;
  /** Whether any source records response sizes. @default true */
  readonly hasSizes?: boolean | undefined;
  /** First and last second of the run: windows count no further. @default as far as windows reach */
  readonly extent?: Extent | undefined;
  /** Percentiles that the load tool reported for these requests over the complete run. @default none */
  readonly reported?: ReportedRun | undefined;
}

/** Microseconds by quantile in millionths: 0 is the minimum, 1,000,000 the maximum. */
export type ReportedRun = ReadonlyMap<number, number>;

const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999];
const MICROS_PER_SECOND = 1_000_000n;
/** Returns the statistics of a sum. Throws `sum-too-large`. */
export function figuresOf(sum: DistributionSum, context: FiguresContext = {}): Figures {
  const { requests, failedRequests, timedRequests } = sum;
  const { apdexMicros, percents, hasSizes = true, extent } = context;
  const { from, until, rangeSeconds } = stretchOf(sum, extent);
  const range = BigInt(rangeSeconds);
  return {
    count: exactNumber(requests),
    errCount: exactNumber(failedRequests),
    untimedCount: exactNumber(requests - timedRequests),
    errRate: quotient(failedRequests, requests),
    avgLoadTime: average(sum.elapsedMicros, timedRequests),
    errAvgLoadTime: average(sum.failedElapsedMicros, sum.timedFailedRequests),
    ...timesOf(sum, context.reported ?? new Map()),
    ...(hasSizes ? sizesOf(sum, range) : NO_SIZES),
    reqPerSec: hasNoClock(sum) ? null : quotient(requests - sum.undatedRequests, range),
    ...(range === 0n ? {} : { from, until }),
    range: rangeSeconds,
    ...(apdexMicros === undefined || requests === 0n ? {} : { apdex: apdexOf(sum, apdexMicros) }),
    ...(percents === undefined
      ? {}
      : { percentiles: requestedOf(sum, percents, context.reported ?? new Map()) }),
  };
}

/** What the sum covers of the run. */
function stretchOf(sum: DistributionSum, extent: Extent | undefined) {
  const { from, until, rangeSeconds } = sum;
  if (extent === undefined || rangeSeconds === 0) return { from, until, rangeSeconds };
  const [first, last] = [Math.max(from, extent.from), Math.min(until, extent.until)];
  // A run of other data than its file says.
  if (first > last) return { from, until, rangeSeconds };
  return { from: first, until: last, rangeSeconds: last - first + 1 };
}

const NO_SIZES = {
  receivedBytes: null,
  downloadSize: null,
  errDownloadSize: null,
  receivedBytesPerSec: null,
};

/** Whether there are requests and no known second. */
function hasNoClock({ requests, rangeSeconds }: DistributionSum): boolean {
  return requests > 0n && rangeSeconds === 0;
}

/** A total that is too large to be exact is unknown: one absurd size must not hide the other figures. */
function sizesOf(sum: DistributionSum, range: bigint) {
  const { receivedBytes } = sum;
  const isExact = receivedBytes <= BigInt(Number.MAX_SAFE_INTEGER);
  return {
    receivedBytes: isExact ? exactNumber(receivedBytes) : null,
    downloadSize: quotient(receivedBytes, sum.requests),
    errDownloadSize: quotient(sum.failedReceivedBytes, sum.failedRequests),
    receivedBytesPerSec: hasNoClock(sum)
      ? null
      : quotient(receivedBytes - sum.undatedReceivedBytes, range),
  };
}

/** Rounded to microseconds. */
function average(sumMicros: bigint, requests: bigint): number | null {
  if (requests === 0n) return null;
  return Number(quotientText(sumMicros, requests * MICROS_PER_SECOND));
}

function timesOf(sum: DistributionSum, reported: ReportedRun) {
  const isComputed = sum.timedRequests > 0n && sum.hasDistribution;
  const computed = isComputed ? sum.quantiles(QUANTILES) : [];
  const value = (index: number) =>
    isComputed ? computed[index] : reported.get(millionths(QUANTILES[index] as number));
  const isReported = QUANTILES.some((q) => reported.has(millionths(q)));
  const otherwise: PercentileOrigin = isReported ? "reported" : "unknown";
  return {
    minLoadTime: seconds(sum.leastMicros ?? reported.get(millionths(0))),
    maxLoadTime: seconds(sum.mostMicros ?? reported.get(millionths(1))),
    p50: seconds(value(0)),
    p90: seconds(value(1)),
    p95: seconds(value(2)),
    p99: seconds(value(3)),
    p999: seconds(value(4)),
    percentileOrigin: isComputed ? "computed" : otherwise,
  } as const;
}

/** By name, such as `p99.9`, in seconds. */
function requestedOf(
  sum: DistributionSum,
  percents: readonly number[],
  reported: ReportedRun,
): Readonly<Record<string, number | null>> {
  const ascending = percents.toSorted((left, right) => left - right);
  const quantiles = ascending.map((percent) => percent / 100);
  const isComputed = sum.timedRequests > 0n && sum.hasDistribution;
  const micros = isComputed
    ? sum.quantiles(quantiles)
    : quantiles.map((q) => reported.get(millionths(q)));
  return Object.fromEntries(
    ascending.map((percent, index) => [`p${percent}`, seconds(micros[index])]),
  );
}

/**
 * Satisfied: passed up to T; tolerating, counted half: passed up to 4 T. Failed requests are frustrated, as in the Apdex
 * specification and in JMeter (`ApdexSummaryConsumer`).
 */
function apdexOf({ passed, requests }: DistributionSum, thresholdMicros: number): number | null {
  if (passed?.hasDistribution !== true) return null;
  const satisfied = BigInt(passed.requestsWithin(thresholdMicros));
  const accepted = BigInt(passed.requestsWithin(4 * thresholdMicros));
  return quotient(satisfied + accepted, 2n * requests);
}

function seconds(micros: number | undefined): number | null {
  return micros === undefined ? null : micros / 1_000_000;
}

/** Rounded half away from zero to at most 6 places, or to 3 significant digits where that would be 0; 0 if the divisor is 0. */
function quotient(numerator: bigint, denominator: bigint): number {
  const rounded = Number(quotientText(numerator, denominator));
  if (rounded > 0 || denominator === 0n) return rounded;
  return Number((Number(numerator) / Number(denominator)).toPrecision(3));
}
