/** Reports as Artillery writes them. */

import { artilleryJson } from "../../src/decode/artillery/artillery-json.ts";
import { type Decoded, decodeSource } from "./decode-source.ts";

export const NAMESPACE = "plugins.metrics-by-endpoint";
/** 2026-11-21 03:42:20 UTC, as Artillery writes it, and its second. */
export const PERIOD = "1795232540000";
export const SECOND = 1_795_232_540;

interface Period {
  readonly period?: string;
  readonly counters: Record<string, unknown>;
  readonly summaries?: Record<string, unknown>;
}

/** A report as Artillery writes it: the sum of all windows stands in front of them. */
export function report(...intermediate: readonly Period[]): string {
  const counters = Object.assign({}, ...intermediate.map((period) => period.counters));
  const summaries = Object.assign({}, ...intermediate.map((period) => period.summaries));
  const periods = intermediate.map((period) => ({
    period: PERIOD,
    histograms: period.summaries,
    "http.request_rate": null,
    ...period,
  }));
  return JSON.stringify(
    { aggregate: { counters, summaries }, intermediate: periods },
    undefined,
    2,
  );
}

export function decodePeriods(...periods: readonly Period[]): Decoded {
  return decodeSource(artilleryJson, report(...periods));
}

/** The keys of an endpoint that answered `codes` and was timed as `times`. */
export function endpoint(
  name: string,
  codes: Record<string, number>,
  times: unknown,
  space = NAMESPACE,
) {
  const counters = Object.entries(codes).map(([code, count]) => [
    `${space}.${name}.${code}`,
    count,
  ]);
  return {
    counters: Object.fromEntries(counters) as Record<string, number>,
    summaries: { [`${space}.response_time.${name}`]: times },
  };
}

export const TIMES = {
  min: 1,
  max: 40,
  mean: 12.5,
  p50: 10,
  p75: 20,
  p90: 30,
  p95: 30,
  p99: 30,
  p999: 30,
};
