/** The baseline's lines in the charts of another run, aligned at the start of both. */

import type { Series } from "../../api/figures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { windowAt } from "../../charts/draw-chart.ts";
import { type Grid, gridOf, perSecond, type Values } from "../../charts/grid.ts";
import { type Statistic, statisticOn } from "../endpoints/endpoint-lines.ts";
import type { Range } from "../scope/range.ts";

export interface BaselineSeries {
  readonly id: string;
  /** What is selected, in any range. */
  readonly subject: string;
  /** Seconds from its start to that of the shown run. */
  readonly shiftSeconds: number;
  /** What was asked for, in UNIX seconds of the baseline. */
  readonly range: Range;
  /** Points of response times, in seconds. */
  readonly resolution: number;
  readonly merged: Series;
  /** Points of counts, in seconds. */
  readonly countResolution: number;
  readonly counts: Series;
}

/** Of its line in either chart: both are shown, or none. */
export const BASELINE_NAME = "baseline";

const LINE = { name: BASELINE_NAME, color: "--ink3", dash: [2, 3], width: 1 };

/**
 * p50 to p95 of the baseline; `seconds` are window starts of the shown run. Where a band shows something else, only
 * `statistic` is a line.
 */
export function baselineTimes(
  seconds: readonly number[],
  base: BaselineSeries,
  statistic?: Statistic,
): ChartLine {
  const grid = gridOf(base.range.from, base.range.until, base.resolution);
  if (statistic !== undefined) {
    const values = shifted(seconds, base, grid, statisticOn(grid, base.merged, statistic));
    return { ...LINE, text: `baseline ${statistic}`, endText: BASELINE_NAME, values };
  }
  return {
    name: BASELINE_NAME,
    text: "baseline p50 to p95",
    endText: BASELINE_NAME,
    values: shifted(seconds, base, grid, statisticOn(grid, base.merged, "p95")),
    downTo: shifted(seconds, base, grid, statisticOn(grid, base.merged, "p50")),
    color: "--area-edge",
    fill: "--area",
    textColor: "--ink3",
    width: 0.5,
  };
}

/** An area is drawn behind the other lines. A line is drawn after them: a band would cover it. */
export function withBaseline(
  lines: readonly ChartLine[],
  base: ChartLine | undefined,
): readonly ChartLine[] {
  if (base === undefined) return lines;
  return base.downTo === undefined ? [...lines, base] : [base, ...lines];
}

/** Requests per second of the baseline, with a name at its end if the other chart has none. */
export function baselineRequests(
  seconds: readonly number[],
  base: BaselineSeries,
  isNamed: boolean,
): ChartLine {
  const grid = gridOf(base.range.from, base.range.until, base.countResolution);
  return {
    ...LINE,
    text: "baseline requests",
    endText: isNamed ? "baseline" : "",
    values: shifted(seconds, base, grid, perSecond(grid, base.counts, base.counts.count)),
  };
}

/**
 * The value in effect at the middle of each window, at the same time since the start; none beyond what the
 * baseline covers. As in every column, the last value is repeated at the end.
 */
function shifted(
  seconds: readonly number[],
  { shiftSeconds, range }: BaselineSeries,
  grid: Grid,
  values: Values,
): Values {
  const shown = seconds.slice(1).map((end, index) => {
    const at = ((seconds[index] ?? end) + end) / 2 - shiftSeconds;
    if (at < range.from || at > range.until) return null;
    return values[windowAt(grid.seconds, at)] ?? null;
  });
  return [...shown, shown.at(-1) ?? null];
}
