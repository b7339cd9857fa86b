import type { ReportedWindow } from "../../model/reported-percentiles.ts";
import type { WindowLatency } from "../../model/sample-batch.ts";
import { readJsonNumber } from "../json/json-fields.ts";

/** What Artillery says of the response times of a window: names to numbers as they are written. */
export type ArtillerySummary = ReadonlyMap<string, string>;

/** Quantiles that a summary gives; Artillery 1 writes fewer of them, and calls the first one `median`. */
const QUANTILES: readonly (readonly [name: string, quantile: number])[] = [
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

/** The response times of some requests: their sum, and as far as it is known their distribution. */
export interface ResponseTimes {
  /** How many requests have a response time. */
  readonly requests: number;
  readonly elapsedMicros: number;
  readonly minMicros: number;
  readonly maxMicros: number;
  /** Stand for all of the requests; empty where they are not known one by one. */
  readonly latencies: readonly WindowLatency[];
}

/**
 * The response times that a summary covers: at most `responses`, at least 1. `undefined` where the
 * summary lacks what is needed, or a sum would not be exact.
 */
export function timesOfSummary(
  summary: ArtillerySummary,
  responses: number,
): ResponseTimes | undefined {
  const [minMicros, maxMicros] = [microsOf(summary.get("min")), microsOf(summary.get("max"))];
  const mean = readJsonNumber(summary.get("mean") ?? "", MEAN_DECIMALS);
  if (minMicros === undefined || maxMicros === undefined || mean === undefined) return undefined;
  const count = Number(summary.get("count") ?? responses);
  const requests = Number.isSafeInteger(count) ? Math.min(count, responses) : responses;
  const elapsedMicros = rounded(BigInt(mean) * BigInt(requests), MEAN_UNITS_PER_MICRO);
  if (minMicros > maxMicros || requests < 1 || elapsedMicros === undefined) return undefined;
  return { requests, elapsedMicros, minMicros, maxMicros, latencies: [] };
}

/** The same where the response times themselves are known, in nanoseconds; there is at least one. */
export function timesOfLatencies(nanos: readonly number[]): ResponseTimes | undefined {
  if (!nanos.every((each) => Number.isSafeInteger(each) && each >= 0)) return undefined;
  const sum = nanos.reduce((so, each) => so + BigInt(each), 0n);
  const elapsedMicros = rounded(sum, NANOS_PER_MICRO);
  if (elapsedMicros === undefined) return undefined;
  const micros = nanos.map((each) => Math.round(each / 1000));
  return {
    requests: nanos.length,
    elapsedMicros,
    minMicros: micros.reduce((left, right) => Math.min(left, right)),
    maxMicros: micros.reduce((left, right) => Math.max(left, right)),
    latencies: micros.map((each) => ({ elapsedMicros: each, requests: 1 })),
  };
}

/** The percentiles that a summary states. */
export function percentilesOf(summary: ArtillerySummary): ReportedWindow["percentiles"] {
  return QUANTILES.flatMap(([name, quantile]) => {
    const text = summary.get(name) ?? (name === "p50" ? summary.get("median") : undefined);
    const micros = microsOf(text);
    return micros === undefined ? [] : [[quantile, micros] as const];
  });
}

/** Rounded half up. */
function rounded(units: bigint, unitsPerMicro: bigint): number | undefined {
  const micros = (2n * units + unitsPerMicro) / (2n * unitsPerMicro);
  return micros <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(micros) : undefined;
}

function microsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : readJsonNumber(text, MICROS_PER_MS);
}
