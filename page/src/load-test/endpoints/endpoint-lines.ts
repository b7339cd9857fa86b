import type { BandEdge, Series } from "../../api/figures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { type Grid, type Values, valuesOn } from "../../charts/grid.ts";

/** So many endpoints have a line each; of more the merge and a band are shown. */
const LINES_MAX = 8;
/** So many have a heatmap each. */
const STRIPS_MAX = 4;
/** From here on lines are dashed: colours alone do not tell so many apart. */
const DASHED_FROM = 4;

export const STATISTICS = ["average", "p50", "p95", "p99"] as const;

export type Statistic = (typeof STATISTICS)[number];

/** The statistic of this name, or the one that is shown at first. */
export function statisticOf(name: string | undefined): Statistic {
  return STATISTICS.find((each) => each === name) ?? "p95";
}

/** Whether endpoints that are selected have lines of their own. */
export function hasLines(hashes: readonly string[]): boolean {
  return hashes.length > 1 && hashes.length <= LINES_MAX;
}

/** Whether so many are selected that a band stands for them. */
export function hasBand(hashes: readonly string[]): boolean {
  return hashes.length > LINES_MAX;
}

/** Whether endpoints that are selected have heatmaps of their own. */
export function hasStrips(hashes: readonly string[]): boolean {
  return hashes.length > 1 && hashes.length <= STRIPS_MAX;
}

/** Name of the custom property for the endpoint that was selected as number `index`. */
export function endpointColor(index: number): string {
  return `--s${index + 1}`;
}

/** One line for each endpoint, in the order in which they were selected. */
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

/** A statistic over time, in seconds: of `series`, or of an edge of its band. */
export function statisticOn(
  grid: Grid,
  series: Series,
  statistic: Statistic,
  edge: BandEdge = series,
): Values {
  const column = statistic === "average" ? edge.avgLoadTime : edge.percentiles[statistic];
  return valuesOn(grid, series, (point) => column?.[point] ?? null);
}
