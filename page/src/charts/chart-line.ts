import type uPlot from "uplot";
import { color } from "./colors.ts";
import type { Values } from "./grid.ts";
import { bandPaths, hangingPaths, steppedPaths } from "./paths.ts";

/** One line (or area, or band) of a chart. */
export interface ChartLine {
  /** Tells it from the others; it is shown where there is no `text`. */
  readonly name: string;
  readonly text?: string;
  /** What stands at its end, where that is something else. */
  readonly endText?: string;
  readonly values: Values;
  /** Name of the custom property that holds its colour. */
  readonly color: string;
  /** The same for its name, where the line's is too light for text. */
  readonly textColor?: string;
  readonly fill?: string;
  readonly dash?: readonly number[];
  readonly width?: number;
  /** `own`: a scale of its own, without an axis. */
  readonly scale?: "own";
  /** Values of the line that this one is a part of: drawn as an area that hangs from it. */
  readonly hangsFrom?: Values;
  /** Whether it comes and goes with the pointer: it has no name at its end. */
  readonly isPreview?: boolean;
  /** Lower edge of a band whose upper one are the values. */
  readonly downTo?: Values;
}

/**
 * How uPlot is to draw a line. Its values may change later without a new series: `current` gives the
 * line as it is when it is drawn.
 */
export function seriesOf(
  line: ChartLine,
  isShown: boolean,
  current: () => ChartLine | undefined,
): uPlot.Series {
  const isPart = line.hangsFrom !== undefined;
  const fill = isPart ? line.color : line.fill;
  return {
    label: line.name,
    show: isShown,
    stroke: color(line.color),
    width: line.width ?? 1.25,
    spanGaps: false,
    points: { show: false },
    paths: (chart, index) => {
      const { hangsFrom, downTo } = current() ?? line;
      if (hangsFrom !== undefined) return hangingPaths(chart, index, hangsFrom);
      if (downTo !== undefined) return bandPaths(chart, index, downTo);
      return steppedPaths(chart, index);
    },
    ...(fill === undefined ? {} : { fill: color(fill) }),
    ...(line.dash === undefined ? {} : { dash: [...line.dash] }),
    ...(line.scale === undefined ? {} : { scale: line.scale }),
  };
}

/** What of a line cannot change without a new series: two lines of the same look are drawn alike. */
export function lookOf(line: ChartLine): string {
  const { name, dash, width, scale, fill, hangsFrom, downTo } = line;
  return JSON.stringify([name, line.color, fill, dash, width, scale, !hangsFrom, !downTo]);
}
