import uPlot from "uplot";
import type { Values } from "./grid.ts";

/** One line (or area) of a chart. */
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
}

/** The value of a custom property, as the theme has it now. */
export function color(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

const stepped = uPlot.paths.stepped?.({ align: 1 });

/** How uPlot is to draw a line. */
export function seriesOf(line: ChartLine, isShown: boolean): uPlot.Series {
  const paths = line.hangsFrom === undefined ? stepped : hangingFrom(line.hangsFrom);
  return {
    label: line.name,
    show: isShown,
    stroke: color(line.color),
    width: line.width ?? 1.25,
    spanGaps: false,
    points: { show: false },
    ...(line.fill === undefined ? {} : { fill: color(line.fill) }),
    ...(line.hangsFrom === undefined ? {} : { fill: color(line.color) }),
    ...(line.dash === undefined ? {} : { dash: [...line.dash] }),
    ...(line.scale === undefined ? {} : { scale: line.scale }),
    ...(paths === undefined ? {} : { paths }),
  };
}

const PART_PIXELS_MIN = { width: 2, height: 1.5 };

/** Boxes that hang from the steps of another line, true to scale but never too small to be seen. */
function hangingFrom(whole: Values): uPlot.Series.PathBuilder {
  return (chart, index) => {
    const fill = new Path2D();
    const seconds = chart.data[0];
    for (const [point, value] of (chart.data[index] ?? []).entries()) {
      const all = whole[point];
      const end = seconds[point + 1];
      if (!value || all === null || all === undefined || end === undefined) continue;
      const left = Math.max(chart.bbox.left, chart.valToPos(seconds[point] ?? 0, "x", true));
      const right = chart.valToPos(end, "x", true);
      const top = chart.valToPos(all, "y", true);
      const bottom = chart.valToPos(all - value, "y", true);
      const { width, height } = PART_PIXELS_MIN;
      fill.rect(
        left,
        top,
        Math.max(right - left, width * devicePixelRatio),
        Math.max(bottom - top, height * devicePixelRatio),
      );
    }
    return { stroke: null, fill };
  };
}
