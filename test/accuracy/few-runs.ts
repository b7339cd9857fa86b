/** How often `each: p95 grows` fails with few earlier runs: generated p95 of several endpoints, judged by the noise between runs. */

import { seededRandom } from "../../bench/seeded-random.ts";
import type { EarlierValues } from "../../src/analysis/compare/earlier-runs.ts";
import { GROWTH_ERROR, pooledNoise, runNoise } from "../../src/analysis/compare/run-noise.ts";
import { levelsOf } from "./gate-trials.ts";

export interface FewRunsShape {
  readonly earlier: number;
  readonly endpoints: number;
  /** Standard deviation of the logarithm of an endpoint's p95 between runs; that of the first one is five times as large if it is `odd`. */
  readonly spread: number;
  /** `fan`: from half to twice the spread. */
  readonly spreads: "equal" | "fan" | "odd";
  /** Correlation of endpoints in a run. */
  readonly together: number;
  /** Correlation of neighbouring runs. */
  readonly correlation: number;
}

interface Failed {
  /** Whether any unchanged endpoint fails. */
  readonly isAny: boolean;
  /** Whether the last endpoint fails if it is slower by the growth. */
  readonly found: readonly boolean[];
}

/** With the noise of all endpoints, and with that of each alone. */
export function tryFewRuns(shape: FewRunsShape, growths: readonly number[], seed: number) {
  const random = seededRandom(seed);
  const runs = shape.earlier + 1;
  const levels = { spread: 1, correlation: shape.correlation, growth: 1 };
  const days = levelsOf(runs, levels, random);
  const endpoints = Array.from({ length: shape.endpoints }, (_, at) => {
    const own = levelsOf(runs, levels, random);
    const deviation = shape.spread * factorOf(shape, at);
    return days.map((day, run) =>
      Math.exp(
        deviation *
          (Math.sqrt(shape.together) * day + Math.sqrt(1 - shape.together) * (own[run] ?? 0)),
      ),
    );
  });
  return {
    pooled: failedOf(endpoints, growths, true),
    alone: failedOf(endpoints, growths, false),
  };
}

function factorOf({ spreads, endpoints }: FewRunsShape, at: number): number {
  if (spreads === "odd") return at === 0 ? 5 : 1;
  return spreads === "fan" ? 0.5 * 4 ** (at / Math.max(1, endpoints - 1)) : 1;
}

function failedOf(
  endpoints: readonly (readonly number[])[],
  growths: readonly number[],
  isPooled: boolean,
): Failed {
  const earlier = endpoints.map((values) => earlierOf(values.slice(0, -1)));
  const pooled = isPooled ? pooledNoise(earlier, "p95") : undefined;
  const errorProbability = GROWTH_ERROR / endpoints.length;
  const fails = (at: number, growth: number): boolean => {
    const values = endpoints[at] ?? [];
    const value = (values.at(-1) ?? 0) * (1 + growth);
    const baseAt = values.length - 2;
    const pair = { base: values[baseAt] ?? 0, value, baseAt, errorProbability, pooled };
    const noise = runNoise(earlier[at] as EarlierValues, "p95", pair)?.noise;
    return noise !== undefined && value > noise.level && noise.chance <= errorProbability;
  };
  return {
    isAny: endpoints.some((_, at) => fails(at, 0)),
    found: growths.map((growth) => fails(endpoints.length - 1, growth)),
  };
}

function earlierOf(p95: readonly number[]): EarlierValues {
  const unknown = p95.map(() => null);
  const of = { errRate: unknown, avgLoadTime: unknown, p50: unknown, p99: unknown };
  return { values: { count: p95.map(() => 600), p95, ...of }, cuts: new Map() };
}
