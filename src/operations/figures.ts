import { exactNumber } from "../model/exact.ts";
import { quotientText } from "../render/write-number.ts";
import type { DistributionSum } from "./distribution-sum.ts";

/** Numbers in the units of `GET /Api/Metrics`: seconds, bytes, KiB; at most 6 decimals. */
export interface Figures {
  readonly count: number;
  readonly errCount: number;
  /** Failed requests by all requests, 0 to 1. */
  readonly errRate: number;
  readonly avgLoadTime: number;
  readonly errAvgLoadTime: number;
  /** All times are absent where there is no request. */
  readonly minLoadTime?: number;
  readonly maxLoadTime?: number;
  readonly p50?: number;
  readonly p90?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly p999?: number;
  /** Bytes of all responses, and of one on average. */
  readonly receivedBytes: number;
  readonly downloadSize: number;
  readonly errDownloadSize: number;
  /** Over `range`; 0 where no instant is known. */
  readonly reqPerSec: number;
  readonly kbPerSec: number;
  /** First and last UNIX second; absent where no instant is known. */
  readonly from?: number;
  readonly until?: number;
  /** Seconds from the first to the last, both included. */
  readonly range: number;
  readonly apdex?: number;
}

const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999];
const MICROS_PER_SECOND = 1_000_000n;
const BYTES_PER_KIB = 1024n;

/** The figures of what was summed. Throws `sum-too-large`. */
export function figuresOf(sum: DistributionSum, apdexMicros: number | undefined): Figures {
  const { requests, failedRequests, receivedBytes } = sum;
  const range = BigInt(sum.rangeSeconds);
  return {
    count: exactNumber(requests),
    errCount: exactNumber(failedRequests),
    errRate: quotient(failedRequests, requests),
    avgLoadTime: quotient(sum.elapsedMicros, requests * MICROS_PER_SECOND),
    errAvgLoadTime: quotient(sum.failedElapsedMicros, failedRequests * MICROS_PER_SECOND),
    ...timesOf(sum),
    receivedBytes: exactNumber(receivedBytes),
    downloadSize: quotient(receivedBytes, requests),
    errDownloadSize: quotient(sum.failedReceivedBytes, failedRequests),
    reqPerSec: quotient(requests, range),
    kbPerSec: quotient(receivedBytes, range * BYTES_PER_KIB),
    ...(range === 0n ? {} : { from: sum.from, until: sum.until }),
    range: sum.rangeSeconds,
    ...(apdexMicros === undefined || requests === 0n ? {} : { apdex: apdexOf(sum, apdexMicros) }),
  };
}

function timesOf(sum: DistributionSum): Partial<Figures> {
  if (sum.requests === 0n) return {};
  const [p50 = 0, p90 = 0, p95 = 0, p99 = 0, p999 = 0] = sum.quantiles(QUANTILES).map(seconds);
  const { minMicros, maxMicros } = sum;
  return {
    minLoadTime: seconds(minMicros),
    maxLoadTime: seconds(maxMicros),
    p50,
    p90,
    p95,
    p99,
    p999,
  };
}

/** Satisfied within the threshold, tolerating within four times of it, which counts half. */
function apdexOf(sum: DistributionSum, thresholdMicros: number): number {
  const satisfied = BigInt(sum.requestsWithin(thresholdMicros));
  const accepted = BigInt(sum.requestsWithin(4 * thresholdMicros));
  return quotient(satisfied + accepted, 2n * sum.requests);
}

function seconds(micros: number): number {
  return micros / 1_000_000;
}

/** Rounded as everywhere: half away from zero, at most 6 places; 0 where nothing is divided by. */
function quotient(numerator: bigint, denominator: bigint): number {
  return Number(quotientText(numerator, denominator));
}
