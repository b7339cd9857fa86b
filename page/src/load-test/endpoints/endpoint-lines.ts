import type { BandEdge, Series } from "../../api/figures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { type Grid, type Values, valuesOn } from "../../charts/grid.ts";

/** Up to this many endpoints have a line each; more are merged, with a band. */
const LINES_MAX = 8;
/** Up to this many have a heatmap each. */
const STRIPS_MAX = 4;
/** From here on lines are dashed: colours alone cannot distinguish so many. */
const DASHED_FROM = 4;

export const STATISTICS = ["average", "p50", "p95", "p99"] as const;

export type Statistic = (typeof STATISTICS)[number];

/** The statistic with this name, or the default. */
export function statisticOf(name: string | undefined): Statistic {
  return STATISTICS.find((each) => each === name) ?? "p95";
}

/** Whether selected endpoints have their own lines. */
export function hasLines(hashes: readonly string[]): boolean {
  return hashes.length > 1 && hashes.length <= LINES_MAX;
}

/** Whether so many are selected that a band replaces their lines. */
export function hasBand(hashes: readonly string[]): boolean {
  return hashes.length > LINES_MAX;
}

/** Whether selected endpoints have their own heatmaps. */
export function hasStrips(hashes: readonly string[]): boolean {
  return hashes.length > 1 && hashes.length <= STRIPS_MAX;
}

/** Custom property with the colour of the endpoint selected as number `index`. */
export function endpointColor(index: number): string {
  return `--s${index + 1}`;
}

/** One line per endpoint, in the order selected. */
export function endpointLines(
  grid: Grid,
  series: readonly Series[],
  hashes: readonly string[],
  statistic: Statistic,
): ChartLine[] {
  return hashes.flatMap((hash, index) => {
    const own = series.find((each) => each.hash === hash);
    if (own === undefined) return [];
    return [
      {
        name: hash,
        text: own.label ?? "",
        values: statisticOn(grid, own, statistic),
        color: endpointColor(index),
        textColor: "--ink2",
        width: 1.75,
        ...(index < DASHED_FROM ? {} : { dash: [6, 3] }),
      },
    ];
  });
}

/** A statistic over time in seconds: of `series`, or of one edge of its band. */
export function statisticOn(
  grid: Grid,
  series: Series,
  statistic: Statistic,
  edge: BandEdge = series,
): Values {
  const column = statistic === "average" ? edge.avgLoadTime : edge.percentiles[statistic];
  return valuesOn(grid, series, (point) => column?.[point] ?? null);
}
