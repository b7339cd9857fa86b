/** Builds reports in Artillery's format. */

import { artilleryJson } from "../../src/decode/artillery/artillery-json.ts";
import { type Decoded, decodeSource } from "./decode-source.ts";

export const NAMESPACE = "plugins.metrics-by-endpoint";
/** 2026-11-21 03:42:20 UTC in Artillery's format, and the same in seconds. */
export const PERIOD = "1795232540000";
export const SECOND = 1_795_232_540;

interface Period {
  readonly period?: string;
  readonly counters: Record<string, unknown>;
  readonly summaries?: Record<string, unknown>;
}

/** An Artillery report; the sum over all windows comes first. */
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

/** The keys of an endpoint with these response codes and response times. */
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
