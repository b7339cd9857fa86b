/** Cumulative curves: the share of requests that took at most a given time. */

import type { Distribution } from "../api/comparison.ts";
import { apart, type LogScale, roundDown, roundUp } from "../charts/log-scale.ts";
import { logTicks } from "../charts/ticks.ts";

/** Shares beyond these in both are omitted: a curve along the edge says nothing. */
const SHARES_SHOWN = [0.005, 0.995] as const;
const PIXELS_OF_A_TICK = 44;
/** Stands in for 0, which a logarithmic axis does not have; shorter times are not distinguished. */
const SHORTEST = 1e-6;

/** By nearest rank, like percentiles; `undefined` without requests. */
export function timeAtShare({ times, counts }: Distribution, share: number): number | undefined {
  const all = counts.reduce((sum, requests) => sum + requests, 0);
  let seen = 0;
  const index = counts.findIndex((requests) => (seen += requests) >= share * all);
  return times[index];
}

/** Time range of the curves in seconds; `undefined` without requests. */
export function timesShown(
  distributions: readonly Distribution[],
): { readonly low: number; readonly high: number } | undefined {
  const used = distributions.filter(({ times }) => times.length > 0);
  if (used.length === 0) return undefined;
  const [first, last] = SHARES_SHOWN.map((share) => used.map((each) => placeable(each, share)));
  const low = roundDown(Math.min(...(first ?? [])));
  const high = roundUp(Math.max(...(last ?? [])));
  return { low, high: high > low ? high : roundUp(low * 1.5) };
}

/** The time at a share; for 0, the shortest time above it. */
function placeable(distribution: Distribution, share: number): number {
  const time = timeAtShare(distribution, share) ?? 0;
  return time > 0 ? time : (distribution.times.find((each) => each > 0) ?? SHORTEST);
}

/** A step path: nothing is interpolated between observed times. */
export function curvePath(
  { times, counts }: Distribution,
  x: LogScale,
  y: (share: number) => number,
): string {
  const all = counts.reduce((sum, requests) => sum + requests, 0);
  let seen = 0;
  const steps = times.map((time, index) => {
    seen += counts[index] ?? 0;
    return `H${rounded(x.at(time))}V${rounded(y(seen / all))}`;
  });
  return `M${rounded(x.at(0))} ${rounded(y(0))}${steps.join("")}H${rounded(x.at(x.high))}`;
}

/** Round times along the axis, as many as fit. */
export function timeTicks(x: LogScale): number[] {
  return apart(logTicks(x.low, x.high, x.at(x.high) - x.at(x.low)), x, PIXELS_OF_A_TICK);
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
