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

/** What a counter of the plugin metrics-by-endpoint counts. */
export interface EndpointCounter {
  readonly name: string;
  /** Status of the responses; empty for requests without one. */
  readonly code: string;
  /** Error of requests without a response; empty for others. */
  readonly error: string;
}

/** Unless `metricsNamespace` is set. */
const DEFAULT_NAMESPACE = "plugins.metrics-by-endpoint";
const RESPONSE_TIME = ".response_time.";
const ERRORS = ".errors.";
/** Greedy: the name before it may contain another one. */
const CODE = /^(.*)\.codes\.(\d+)$/s;

/**
 * Finds endpoint names in the keys of a report. Names, namespaces and errors are joined by dots and may contain
 * dots, `.codes.404` and `.errors.`: they are split by the keys that an endpoint has in common.
 */
export class ArtilleryNames {
  readonly #namespaces = new Set<string>();
  readonly #names = new Set<string>();
  /** Keys repeat in every window. */
  readonly #cache = new Map<string, EndpointCounter | undefined>();

  get hasEndpoints(): boolean {
    return this.#namespaces.size > 0;
  }

  /** Learns namespaces and names from keys of one window. */
  learn(counters: readonly string[], summaries: readonly string[]): void {
    const counted = new Set(counters.flatMap((key) => CODE.exec(key)?.[1] ?? []));
    if (counters.some((key) => key.startsWith(`${DEFAULT_NAMESPACE}.`))) {
      this.#namespaces.add(DEFAULT_NAMESPACE);
    }
    for (const key of summaries) {
      for (const [namespace, name] of splitsAt(RESPONSE_TIME, key)) {
        if (!counted.has(`${namespace}.${name}`)) continue;
        this.#namespaces.add(namespace);
        this.#names.add(name);
        break;
      }
    }
    this.#cache.clear();
  }

  /** `undefined` for other counters. */
  counter(key: string): EndpointCounter | undefined {
    if (this.#cache.has(key)) return this.#cache.get(key);
    const found = this.#find(key);
    this.#cache.set(key, found);
    return found;
  }

  /** Possible keys of the response times of an endpoint. */
  summaryKeys(name: string): string[] {
    return [...this.#namespaces].map((namespace) => `${namespace}${RESPONSE_TIME}${name}`);
  }

  isTimes(key: string): boolean {
    return [...this.#namespaces].some((each) => key.startsWith(`${each}${RESPONSE_TIME}`));
  }

  #find(key: string): EndpointCounter | undefined {
    for (const namespace of this.#namespaces) {
      if (!key.startsWith(`${namespace}.`)) continue;
      const rest = key.slice(namespace.length + 1);
      const [, name, code] = CODE.exec(rest) ?? [];
      if (name !== undefined && code !== undefined) return { name, code, error: "" };
      const splits = splitsAt(ERRORS, rest);
      // An endpoint without any response has errors only: then the last split counts.
      const split = splits.find(([known]) => this.#names.has(known)) ?? splits.at(-1);
      if (split !== undefined) return { name: split[0], code: "", error: split[1] };
    }
    return undefined;
  }
}

function splitsAt(word: string, key: string): [before: string, behind: string][] {
  const splits: [string, string][] = [];
  for (let at = key.indexOf(word); at >= 0; at = key.indexOf(word, at + 1)) {
    splits.push([key.slice(0, at), key.slice(at + word.length)]);
  }
  return splits;
}
