/** Shapes that follow the steps of columns. */

import type uPlot from "uplot";
import type { Values } from "./grid.ts";

/**
 * The steps of a column and the area below. Each is as wide as its window, including the last before a gap.
 */
export function steppedPaths(chart: uPlot, index: number): uPlot.Series.Paths {
  const [stroke, fill] = [new Path2D(), new Path2D()];
  const floor = chart.bbox.top + chart.bbox.height;
  let end: number | undefined;
  for (const { value, left, right } of stepsOf(chart, index)) {
    const y = Math.round(chart.valToPos(value, chart.series[index]?.scale ?? "y", true));
    fill.rect(left, y, right - left, floor - y);
    if (left === end) stroke.lineTo(left, y);
    else stroke.moveTo(left, y);
    stroke.lineTo(right, y);
    end = right;
  }
  return { stroke, fill };
}

/** The area between the steps of two columns, with both edges. */
export function bandPaths(chart: uPlot, index: number, below: Values): uPlot.Series.Paths {
  const [fill, above, under] = [new Path2D(), new Path2D(), new Path2D()];
  let end: number | undefined;
  for (const { point, value, left, right } of stepsOf(chart, index)) {
    const low = below[point];
    if (low === null || low === undefined) continue;
    const top = chart.valToPos(value, "y", true);
    const bottom = chart.valToPos(low, "y", true);
    fill.rect(left, top, right - left, bottom - top);
    for (const [edge, y] of [
      [above, top],
      [under, bottom],
    ] as const) {
      if (left === end) edge.lineTo(left, y);
      else edge.moveTo(left, y);
      edge.lineTo(right, y);
    }
    end = right;
  }
  above.addPath(under);
  return { stroke: above, fill };
}

interface Step {
  readonly point: number;
  readonly value: number;
  /** Canvas pixels, rounded so that neighbours meet. */
  readonly left: number;
  readonly right: number;
}

function* stepsOf(chart: uPlot, index: number): Generator<Step> {
  const [seconds, values = []] = [chart.data[0], chart.data[index]];
  const x = (second: number): number => Math.round(chart.valToPos(second, "x", true));
  for (const [point, value] of values.entries()) {
    const [begin, end] = [seconds[point], seconds[point + 1]];
    if (value === null || value === undefined || begin === undefined || end === undefined) continue;
    yield { point, value, left: x(begin), right: x(end) };
  }
}
