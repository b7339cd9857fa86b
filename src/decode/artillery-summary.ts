import type { WindowLatency } from "../model/sample-batch.ts";
import { readJsonNumber } from "./json-number.ts";

/** What Artillery says of the response times of a window: names to numbers as they are written. */
export type ArtillerySummary = ReadonlyMap<string, string>;

/** Quantiles that a summary gives; Artillery 1 writes fewer of them. */
const QUANTILES: readonly (readonly [name: string, quantile: number])[] = [
  ["median", 0.5],
  ["p50", 0.5],
  ["p75", 0.75],
  ["p90", 0.9],
  ["p95", 0.95],
  ["p99", 0.99],
  ["p999", 0.999],
];

const MICROS_PER_MS = 3;
/** The mean is read to billionths of a millisecond, so that it is rounded once, as a sum. */
const MEAN_DECIMALS = 9;
const MEAN_UNITS_PER_MICRO = 10n ** BigInt(MEAN_DECIMALS - MICROS_PER_MS);
const NANOS_PER_MICRO = 1000n;

/** The response times of some requests: their sum, and how they lie. */
export interface ResponseTimes {
  readonly elapsedMicros: number;
  readonly minMicros: number;
  readonly maxMicros: number;
  /** Stand for all of the requests. */
  readonly latencies: readonly WindowLatency[];
  /** Whether the sum was worked out from the distribution, because there is no mean. */
  readonly isEstimated: boolean;
}

/** The same of those requests that had a response, the sum not rounded yet. */
interface TimedRequests {
  readonly requests: number;
  readonly sumUnits: bigint;
  readonly unitsPerMicro: bigint;
  readonly latencies: readonly WindowLatency[];
  readonly isEstimated: boolean;
}

/**
 * The response times of `timed` requests (at least 1) that a summary speaks of, and of `untimed` ones
 * that had no response: those count as one of average length. `undefined` where the summary lacks
 * what is needed, or a sum would not be exact.
 */
export function timesOfSummary(
  summary: ArtillerySummary,
  timed: number,
  untimed: number,
): ResponseTimes | undefined {
  const min = microsOf(summary.get("min"));
  const max = microsOf(summary.get("max"));
  if (min === undefined || max === undefined || min > max) return undefined;
  const latencies = spread(knownRanks(summary, timed, [min, max]));
  const mean = readJsonNumber(summary.get("mean") ?? "", MEAN_DECIMALS);
  const requests = { requests: timed, latencies, isEstimated: mean === undefined };
  if (mean === undefined) {
    const sumUnits = sumOfLatencies(latencies);
    return withUntimed({ ...requests, sumUnits, unitsPerMicro: 1n }, untimed);
  }
  const sumUnits = BigInt(mean) * BigInt(timed);
  return withUntimed({ ...requests, sumUnits, unitsPerMicro: MEAN_UNITS_PER_MICRO }, untimed);
}

/** The same where the response times themselves are known, in nanoseconds; there is at least one. */
export function timesOfLatencies(
  nanos: readonly number[],
  untimed: number,
): ResponseTimes | undefined {
  if (!nanos.every((each) => Number.isSafeInteger(each) && each >= 0)) return undefined;
  const timed = {
    requests: nanos.length,
    sumUnits: nanos.reduce((so, each) => so + BigInt(each), 0n),
    unitsPerMicro: NANOS_PER_MICRO,
    latencies: nanos.map((each) => ({ elapsedMicros: Math.round(each / 1000), requests: 1 })),
    isEstimated: false,
  };
  return withUntimed(timed, untimed);
}

function withUntimed(timed: TimedRequests, untimed: number): ResponseTimes | undefined {
  const elapsedMicros = sumOver(timed, timed.requests + untimed);
  const average = sumOver(timed, 1);
  if (elapsedMicros === undefined || average === undefined) return undefined;
  const { latencies, isEstimated } = timed;
  const micros = latencies.map((latency) => latency.elapsedMicros);
  return {
    elapsedMicros,
    minMicros: micros.reduce((left, right) => Math.min(left, right)),
    maxMicros: micros.reduce((left, right) => Math.max(left, right)),
    latencies:
      untimed === 0 ? latencies : [...latencies, { elapsedMicros: average, requests: untimed }],
    isEstimated,
  };
}

/** What `requests` requests of the average length take, rounded half up. */
function sumOver(timed: TimedRequests, requests: number): number | undefined {
  const bottom = timed.unitsPerMicro * BigInt(timed.requests);
  const sum = (2n * timed.sumUnits * BigInt(requests) + bottom) / (2n * bottom);
  return sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : undefined;
}

function sumOfLatencies(latencies: readonly WindowLatency[]): bigint {
  return latencies.reduce(
    (so, { elapsedMicros, requests }) => so + BigInt(elapsedMicros) * BigInt(requests),
    0n,
  );
}

function microsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : readJsonNumber(text, MICROS_PER_MS);
}

/**
 * The elapsed times whose rank among `timed` is known, ascending by rank: Artillery's quantile q is
 * the value of rank floor(q * (n - 1)) + 1, within 1 %; the extremes are exact.
 */
function knownRanks(
  summary: ArtillerySummary,
  timed: number,
  [min, max]: readonly [number, number],
): [rank: number, micros: number][] {
  const byRank = new Map<number, number>([[1, min]]);
  for (const [name, quantile] of QUANTILES) {
    const micros = microsOf(summary.get(name));
    const rank = Math.floor(quantile * (timed - 1)) + 1;
    if (micros === undefined || rank === 1) continue;
    byRank.set(rank, Math.min(max, Math.max(min, micros)));
  }
  if (timed > 1) byRank.delete(timed);
  return timed > 1 ? [...byRank, [timed, max]] : [...byRank];
}

/** Requests between two known ranks count as the nearer of the two, that in the middle as the later. */
function spread(known: readonly (readonly [rank: number, micros: number])[]): WindowLatency[] {
  return known.map(([rank, elapsedMicros], index) => {
    const before = known[index - 1]?.[0];
    const behind = known[index + 1]?.[0];
    const below = before === undefined ? 0 : Math.ceil((rank - before - 1) / 2);
    const above = behind === undefined ? 0 : Math.floor((behind - rank - 1) / 2);
    return { elapsedMicros, requests: 1 + below + above };
  });
}
