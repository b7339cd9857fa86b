/** The axis of differences: logarithmic, as twice as much is as far from 0 as half as much. */

import type { Comparison } from "../api/comparison.ts";
import { apart, logScale, type LogScale } from "../charts/log-scale.ts";

export interface ChangeAxis {
  /** The place of a relative change in pixels. */
  readonly at: (change: number) => number;
  /** Relative changes that are marked, ascending; 0 is one of them. */
  readonly ticks: readonly number[];
}

/** What is always shown, and what is never gone beyond, as factors. */
const LEAST = { low: 0.7, high: 1.5 };
const MOST = { low: 0.05, high: 20 };
/** Room beyond the outermost dots, so that something is seen of their whiskers. */
const MARGIN = 1.3;
const PIXELS_OF_A_TICK = 44;
/** Dots and labels at the ends have to be seen whole. */
const PIXELS_AT_ENDS = 8;

/** In per cent, the first ones first where there is no room for all. */
const TICKS = [0, 100, -50, 900, -90, 200, -30, 50, 400, -75, 20, -20, 10, -10];

/** An axis `width` pixels long on which the dots of all of these stand. */
export function changeAxis(comparisons: readonly Comparison[], width: number): ChangeAxis {
  let { low, high } = LEAST;
  for (const { change } of comparisons) {
    if (change === undefined) continue;
    low = Math.min(low, (1 + change) / MARGIN);
    high = Math.max(high, (1 + change) * MARGIN);
  }
  const scale = logScale(
    Math.max(low, MOST.low),
    Math.min(high, MOST.high),
    PIXELS_AT_ENDS,
    width - PIXELS_AT_ENDS,
  );
  return { at: (change) => scale.at(1 + change), ticks: ticksOn(scale) };
}

function ticksOn(scale: LogScale): number[] {
  const factors = TICKS.map((percent) => 1 + percent / 100);
  const within = factors.filter((factor) => factor >= scale.low && factor <= scale.high);
  return apart(within, scale, PIXELS_OF_A_TICK).map((factor) => rounded(factor - 1));
}

function rounded(change: number): number {
  return Math.round(change * 100) / 100;
}
