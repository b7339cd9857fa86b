/** The axis of differences is logarithmic: twice as much is as far from 0 as half as much. */

import type { Comparison } from "../api/comparison.ts";
import { apart, logScale, type LogScale } from "../charts/log-scale.ts";

export interface ChangeAxis {
  /** Position of a relative change in pixels. */
  readonly at: (change: number) => number;
  /** Labelled relative changes, ascending, including 0. */
  readonly ticks: readonly number[];
}

/** The range always shown and the range never exceeded, as factors. */
const LEAST = { low: 0.7, high: 1.5 };
const MOST = { low: 0.05, high: 20 };
/** Space beyond the outermost dots, so that part of their whiskers is visible. */
const MARGIN = 1.3;
const PIXELS_OF_A_TICK = 44;
/** Dots and labels at the ends must be fully visible. */
const PIXELS_AT_ENDS = 8;

/** In percent; the first have priority if there is no room for all. */
const TICKS = [0, 100, -50, 900, -90, 200, -30, 50, 400, -75, 20, -20, 10, -10];

/** An axis `width` pixels long that fits all of these dots. */
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
