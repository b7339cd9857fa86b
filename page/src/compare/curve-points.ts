/** Cumulative curves: which share of requests took at most so long. */

import type { Distribution } from "../api/comparison.ts";
import { apart, type LogScale, roundDown, roundUp } from "../charts/log-scale.ts";
import { logTicks } from "../charts/ticks.ts";

/** What lies beyond these shares in both is left out: a curve that lies on the edge tells nothing. */
const SHARES_SHOWN = [0.005, 0.995] as const;
const PIXELS_OF_A_TICK = 44;
/** Nothing is told apart below: stands in for 0, which a logarithmic axis does not have. */
const SHORTEST = 1e-6;

/** By nearest rank, as percentiles; `undefined` without requests. */
export function timeAtShare({ times, counts }: Distribution, share: number): number | undefined {
  const all = counts.reduce((sum, requests) => sum + requests, 0);
  let seen = 0;
  const index = counts.findIndex((requests) => (seen += requests) >= share * all);
  return times[index];
}

/** From where to where the curves are shown, in seconds; `undefined` where there is no request. */
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

/** The time at a share; in the place of 0 the shortest that is longer. */
function placeable(distribution: Distribution, share: number): number {
  const time = timeAtShare(distribution, share) ?? 0;
  return time > 0 ? time : (distribution.times.find((each) => each > 0) ?? SHORTEST);
}

/** A path of steps: nothing is put between the times that were seen. */
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

/** Round times along the axis, as many as there is room for. */
export function timeTicks(x: LogScale): number[] {
  return apart(logTicks(x.low, x.high, x.at(x.high) - x.at(x.low)), x, PIXELS_OF_A_TICK);
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
