import type { BandEdge, Scope, Series } from "../../api/figures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { type Grid, type Values, valuesOn } from "../../charts/grid.ts";

/** Up to this many endpoints have a line each; more are merged, with a band. */
const LINES_MAX = 8;
/** Up to this many have a heatmap each. */
const STRIPS_MAX = 4;
/** From here on lines are dashed: colours alone cannot distinguish so many. */
const DASHED_FROM = 4;

/** A line of the chart: a selected endpoint, or a value of the facet that splits it. */
export interface DrawnLine {
  /** Hash of the endpoint, or `=` and the value; without commas. */
  readonly key: string;
  /** Name of a value; an endpoint is named by its label. */
  readonly text?: string;
  /** The part of the scope that it shows. */
  readonly part: Pick<Scope, "hashes"> | Pick<Scope, "where">;
  /** Of a value, in the whole run. */
  readonly requests?: number;
}

/** Key of the values without a line. */
export const OTHERS = "others";

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

/** Whether lines have their own heatmaps. */
export function hasStrips(lines: readonly DrawnLine[]): boolean {
  return lines.length > 1 && lines.length <= STRIPS_MAX;
}

/** Custom property with the colour of the endpoint selected as number `index`. */
export function endpointColor(index: number): string {
  return `--s${index + 1}`;
}

/** In the order selected. */
export function endpointLines(
  grid: Grid,
  series: readonly Series[],
  lines: readonly DrawnLine[],
  statistic: Statistic,
): ChartLine[] {
  return lines.flatMap((line, index) => {
    const { key } = line;
    const own = series.find((each) => each.hash === key);
    if (own === undefined) return [];
    return [
      {
        name: key,
        text: own.label ?? "",
        values: statisticOn(grid, own, statistic),
        ...looksOf(line, index),
        ...(index < DASHED_FROM ? {} : { dash: [6, 3] }),
      },
    ];
  });
}

/** Of the line with number `index`. */
export function looksOf({ key }: DrawnLine, index: number) {
  const color = key === OTHERS ? "--avg" : endpointColor(index);
  return { color, textColor: "--ink2", width: 1.75 };
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
