/** Cumulative curves: which share of requests took at most so long. */

import type { Distribution } from "../api/comparison.ts";
import { apart, type LogScale, roundDown, roundUp } from "../charts/log-scale.ts";
import { logTicks } from "../charts/ticks.ts";

/** What lies beyond these shares in both is left out: a curve that lies on the edge tells nothing. */
const SHARES_SHOWN = [0.005, 0.995] as const;
const PIXELS_OF_A_TICK = 44;
/** Nothing is told apart below. */
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
  const [firsts, lasts] = SHARES_SHOWN.map((share) =>
    distributions.flatMap((each) => timeAtShare(each, share) ?? []),
  );
  if (firsts === undefined || lasts === undefined || firsts.length === 0) return undefined;
  const low = roundDown(Math.max(SHORTEST, Math.min(...firsts)));
  const high = roundUp(Math.max(SHORTEST, ...lasts));
  return { low, high: high > low ? high : roundUp(low * 1.5) };
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
  return apart(logTicks(x.low, x.high), x, PIXELS_OF_A_TICK);
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
