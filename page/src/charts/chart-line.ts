import type uPlot from "uplot";
import { color } from "./colors.ts";
import type { Values } from "./grid.ts";
import { bandPaths, steppedPaths } from "./paths.ts";

/** One line, area or band of a chart. */
export interface ChartLine {
  /** Identifies the line; displayed if there is no `text`. */
  readonly name: string;
  readonly text?: string;
  /** The name at its end, if different. */
  readonly endText?: string;
  /** Its name is written in full. */
  readonly isLimit?: boolean;
  readonly values: Values;
  /** Custom property with its colour. */
  readonly color: string;
  /** The same for its name, if the line's colour is too light for text. */
  readonly textColor?: string;
  readonly fill?: string;
  readonly dash?: readonly number[];
  readonly width?: number;
  /** `own`: its own scale, without an axis. */
  readonly scale?: "own";
  /** Whether it appears only under the pointer; such a line has no name at its end. */
  readonly isPreview?: boolean;
  /** Whether the axis grows for it by no more than the factor 2. */
  readonly isHairline?: boolean;
  /** Lower edge of a band; the values are the upper edge. */
  readonly downTo?: Values;
  /** Values shown in the readout of a stacked line, instead of its edges. */
  readonly part?: Values;
}

/**
 * uPlot's settings for a line. Values may change without a new series: `current` returns the line at drawing
 * time.
 */
export function seriesOf(
  line: ChartLine,
  isShown: boolean,
  current: () => ChartLine | undefined,
): uPlot.Series {
  const { fill } = line;
  return {
    label: line.name,
    show: isShown,
    stroke: color(line.color),
    width: line.width ?? 1.25,
    auto: line.isHairline !== true,
    spanGaps: false,
    points: { show: false },
    paths: (chart, index) => {
      const { downTo } = current() ?? line;
      if (downTo !== undefined) return bandPaths(chart, index, downTo);
      return steppedPaths(chart, index);
    },
    ...(fill === undefined ? {} : { fill: color(fill) }),
    ...(line.dash === undefined ? {} : { dash: [...line.dash] }),
    ...(line.scale === undefined ? {} : { scale: line.scale }),
  };
}

/** What cannot change without a new series; lines with equal looks are drawn alike. */
export function lookOf(line: ChartLine): string {
  const { name, dash, width, scale, fill, downTo } = line;
  return JSON.stringify([name, line.color, fill, dash, width, scale, !downTo]);
}
