/** Noise between runs of the same build, by the runs before the later one. docs/internals/statistics.md has the method. */

import type { RunNoise } from "../../api/compare.ts";
import type { TrendFigure } from "../../api/trend.ts";
import { chanceBeyond, studentT } from "../student-t.ts";
import { type ScaledFigure, scaledFigure } from "../trend/trend-figures.ts";
import { EARLIER_MIN, type EarlierValues } from "./earlier-runs.ts";
import type { Limits } from "./compare-intervals.ts";
import {
  type EndpointSpread,
  moderated,
  type PooledSpread,
  poolSpreads,
  type RunSpread,
} from "./pool-spreads.ts";
import { averageOf, lowerBound } from "../../model/columns.ts";

/**
 * Probability that noise between runs breaks any limit about growth: 0.8 % upwards, and the same down. If neighbouring runs
 * resemble each other, it is somewhat larger, but about 1 %.
 */
export const GROWTH_ERROR = 0.016;

interface MeasuredPair {
  readonly base: number;
  readonly value: number;
  /** Index of the base among the earlier runs; -1: it is not among them, or covers another part of the run. */
  readonly baseAt: number;
  /** @default the endpoint has runs of its own only */
  readonly pooled?: PooledSpread | undefined;
}

interface RunLevels extends RunSpread {
  /** The level that the base is on, and how many earlier runs it is the average of. */
  readonly level: number;
  readonly levelLoadTests: number;
  readonly value: number;
}

/** `undefined` if the earlier runs do not tell. */
function levelsOf(
  earlier: EarlierValues,
  figure: TrendFigure,
  { base, value, baseAt, pooled }: MeasuredPair,
): RunLevels | undefined {
  const { values } = earlier;
  const own = [...values[figure], base, value];
  // Times of 0 have no logarithm.
  if (figure !== "errRate" && own.includes(0)) return undefined;
  const scaled = scaledFigure(figure, { ...values, [figure]: own });
  const found = aroundLevels(earlier, figure, scaled);
  if (found === undefined) return undefined;
  const { spread, levels } = found;
  const alike = levels.get(baseAt) ?? scaled.measured.slice(-2, -1);
  const isOwn = pooled === undefined || isPrecise(spread, scaled);
  return {
    ...(isOwn ? spread : moderated(spread, pooled)),
    level: averageOf(alike),
    levelLoadTests: alike.length,
    value: scaled.measured.at(-1) as number,
  };
}

/** The spread, and by index of a run the values on its level. */
function aroundLevels(
  { values, cuts }: EarlierValues,
  figure: TrendFigure,
  { values: scaled, varianceMin }: Pick<ScaledFigure, "values" | "varianceMin">,
): { readonly spread: EndpointSpread; readonly levels: Map<number, Float64Array> } | undefined {
  const places = values[figure].flatMap((each, at) => (each === null ? [] : [at]));
  const cutsAt = (cuts.get(figure) ?? []).map(({ at }) => lowerBound(places, at));
  const starts = [...new Set([0, ...cutsAt])].toSorted((one, other) => one - other);
  const edges = [...starts.filter((start) => start < places.length), places.length];
  const degreesOfFreedom = places.length - (edges.length - 1);
  if (degreesOfFreedom < EARLIER_MIN - 1) return undefined;
  const residuals = new Float64Array(values[figure].length);
  const levels = new Map<number, Float64Array>();
  for (const [index, until] of edges.entries()) {
    const from = edges[index - 1] ?? until;
    const own = scaled.slice(from, until);
    const average = averageOf(own);
    for (let at = from; at < until; at++) {
      const place = places[at] as number;
      residuals[place] = (scaled[at] as number) - average;
      levels.set(place, own);
    }
  }
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const variance = Math.max(squares / degreesOfFreedom, varianceMin);
  return { spread: { variance, degreesOfFreedom, loadTests: places.length, residuals }, levels };
}

/** What the endpoints' response times have in common; `undefined` of failures, whose noise depends on their number, and of fewer than two endpoints. */
export function pooledNoise(
  endpoints: Iterable<EarlierValues>,
  figure: TrendFigure,
): PooledSpread | undefined {
  if (figure === "errRate") return undefined;
  const spreads = [...endpoints].flatMap((each) => {
    if (each.values[figure].includes(0)) return [];
    const scaled = scaledFigure(figure, each.values);
    const spread = aroundLevels(each, figure, scaled)?.spread;
    return spread === undefined || isPrecise(spread, scaled) ? [] : spread;
  });
  return poolSpreads(spreads);
}

/** What varies by no more than its precision says nothing of other endpoints, and they nothing of it. */
function isPrecise({ variance }: RunSpread, { varianceMin }: Pick<ScaledFigure, "varianceMin">) {
  return variance <= varianceMin;
}

export interface JudgedNoise {
  readonly noise: Omit<RunNoise, "detectable">;
  readonly limits: Limits;
  /** The limits by another error probability. */
  readonly limitsAt: (errorProbability: number) => Limits;
}

/** Noise of a figure and the limits of its change; `errorProbability` is two-sided. `undefined` if the earlier runs do not tell. */
export function runNoise(
  earlier: EarlierValues,
  figure: TrendFigure,
  pair: MeasuredPair & { readonly errorProbability: number },
): (JudgedNoise & { readonly spread: RunSpread }) | undefined {
  const levels = levelsOf(earlier, figure, pair);
  if (levels === undefined) return undefined;
  const { variance, degreesOfFreedom, loadTests, level, levelLoadTests } = levels;
  const standardError = Math.sqrt(variance * (1 + 1 / levelLoadTests));
  const distance = levels.value - level;
  const unscaled = figure === "errRate" ? shareOf(level) : Math.exp(level);
  const known = { figure, level: unscaled };
  const noise = { loadTests, level: unscaled, standardError, degreesOfFreedom };
  const limitsAt = (errorProbability: number): Limits => {
    const reach = studentT(errorProbability, degreesOfFreedom) * standardError;
    return { low: changeBy(known, distance - reach), high: changeBy(known, distance + reach) };
  };
  return {
    spread: levels,
    noise: {
      ...noise,
      spread: changeBy(known, Math.sqrt(variance)),
      chance: chanceBeyond(Math.abs(distance) / standardError, degreesOfFreedom),
    },
    limits: limitsAt(pair.errorProbability),
    limitsAt,
  };
}

/** Limits of the shift of response times by a spread of theirs: no history has the shift itself. */
export function shiftLimitsBetween(
  { variance, degreesOfFreedom }: RunSpread,
  change: number,
  errorProbability: number,
): Limits {
  const reach = studentT(errorProbability, degreesOfFreedom) * Math.sqrt(2 * variance);
  return {
    low: Math.expm1(Math.log1p(change) - reach),
    high: Math.expm1(Math.log1p(change) + reach),
  };
}

type NoiseBetween = Pick<RunNoise, "level" | "standardError" | "degreesOfFreedom">;

/**
 * Growth of the level that the next run has to have to be found with a probability of 90 %, beyond the noise between runs and, if given, above the value
 * `least`. `errorProbability` is two-sided.
 */
export function detectableChange(
  figure: TrendFigure,
  { level, standardError, degreesOfFreedom }: NoiseBetween,
  errorProbability: number,
  least = level,
): number {
  const beyond = studentT(errorProbability, degreesOfFreedom) * standardError;
  // What judges the next run is what its noise is known by: a deviation that is too small by chance is so for both.
  const missed = studentT(2 * MISSED, degreesOfFreedom) * standardError;
  const reach = Math.max(beyond, distanceOf(figure, level, least));
  return changeBy({ figure, level }, reach + missed);
}

/** Share of runs with a detectable growth in which it is not found. */
const MISSED = 0.1;

/** From the level to a value, on the scale of the noise. */
function distanceOf(figure: TrendFigure, level: number, value: number): number {
  if (figure !== "errRate") return Math.log(value / level);
  return Math.asin(Math.sqrt(Math.min(1, value))) - Math.asin(Math.sqrt(level));
}

/** As `change` of a comparison. */
function changeBy(
  { figure, level }: { readonly figure: TrendFigure; readonly level: number },
  distance: number,
): number {
  if (figure !== "errRate") return Math.expm1(distance);
  return shareOf(Math.asin(Math.sqrt(level)) + distance) - level;
}

/** Share of failures from the arcsine of its root. */
function shareOf(angle: number): number {
  return Math.sin(Math.min(Math.PI / 2, Math.max(0, angle))) ** 2;
}
