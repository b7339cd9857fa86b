import type { ReportedWindow } from "../../model/reported-percentiles.ts";
import type { WindowLatency } from "../../model/sample-batch.ts";
import { halfUp } from "../bytes/exact-number.ts";
import { readJsonNumber } from "../json/json-fields.ts";

/** Names to numbers as written. */
export type ArtillerySummary = ReadonlyMap<string, string>;

/** Artillery 1 has fewer quantiles, and calls the first one `median`. */
const QUANTILES: readonly (readonly [name: string, quantile: number])[] = [
  ["p50", 0.5],
  ["p75", 0.75],
  ["p90", 0.9],
  ["p95", 0.95],
  ["p99", 0.99],
  ["p999", 0.999],
];

const MICROS_PER_MS = 3;
/** Decimals of a mean in ms, enough to round the sum once. */
const MEAN_DECIMALS = 9;
const MEAN_UNITS_PER_MICRO = 10n ** BigInt(MEAN_DECIMALS - MICROS_PER_MS);
const NANOS_PER_MICRO = 1000n;

export interface ResponseTimes {
  readonly requests: number;
  readonly elapsedMicros: number;
  readonly minMicros: number;
  readonly maxMicros: number;
  /** One for each request, or empty if only sums are known. */
  readonly latencies: readonly WindowLatency[];
}

/** At most `responses`, at least 1. `undefined` if values are missing, such as the mean of early versions, or a sum is not exact. */
export function timesOfSummary(
  summary: ArtillerySummary,
  responses: number,
): ResponseTimes | undefined {
  const [minMicros, maxMicros] = extremesOf(summary);
  const mean = readJsonNumber(summary.get("mean") ?? "", MEAN_DECIMALS);
  if (minMicros === undefined || maxMicros === undefined || mean === undefined) return undefined;
  const count = Number(summary.get("count") ?? responses);
  const requests = Number.isSafeInteger(count) ? Math.min(count, responses) : responses;
  const elapsedMicros = rounded(BigInt(mean) * BigInt(requests), MEAN_UNITS_PER_MICRO);
  if (minMicros > maxMicros || requests < 1 || elapsedMicros === undefined) return undefined;
  return { requests, elapsedMicros, minMicros, maxMicros, latencies: [] };
}

/** At least one response time. */
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

/** At most the maximum, which Artillery's estimates can exceed; with the extremes if there is no mean: then no request has a time of its own. */
export function percentilesOf(summary: ArtillerySummary): ReportedWindow["percentiles"] {
  const [min, max] = extremesOf(summary);
  const inner = QUANTILES.flatMap(([name, quantile]) => {
    const text = summary.get(name) ?? (name === "p50" ? summary.get("median") : undefined);
    const micros = microsOf(text);
    return micros === undefined ? [] : [[quantile, Math.min(micros, max ?? Infinity)] as const];
  });
  if (summary.has("mean") || min === undefined || max === undefined) return inner;
  return [[0, min], ...inner, [1, max]];
}

function extremesOf(summary: ArtillerySummary): readonly (number | undefined)[] {
  return ["min", "max"].map((name) => microsOf(summary.get(name)));
}

/** Half up. */
function rounded(units: bigint, unitsPerMicro: bigint): number | undefined {
  const micros = halfUp(units, unitsPerMicro);
  return micros <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(micros) : undefined;
}

function microsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : readJsonNumber(text, MICROS_PER_MS);
}
