import type uPlot from "uplot";
import type { Heatmap } from "../api/figures.ts";
import { heatStops } from "./colors.ts";
import { fullestCell, placeOnRamp, rampOf } from "./heat-cells.ts";

const LEVELS = 64;

/** Draws cells into a chart with seconds on x and response times on y. */
export function drawHeatmap(chart: uPlot, heatmap: Heatmap): void {
  const { ctx, bbox } = chart;
  const most = fullestCell(heatmap);
  const ramp = rampOf(heatStops(), LEVELS);
  const tops = heatmap.rows.map((time) => edge(chart, time, "y"));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const [index, second] of heatmap.labels.entries()) {
    const left = edge(chart, second, "x");
    const width = edge(chart, second + heatmap.resolution, "x") - left;
    for (const [row, requests] of heatmap.cells[index] ?? []) {
      const [bottom = 0, top = 0] = [tops[row], tops[row + 1]];
      ctx.fillStyle = ramp[Math.round(placeOnRamp(requests, most) * (LEVELS - 1))] ?? "";
      ctx.fillRect(left, top, width, bottom - top);
    }
  }
  ctx.restore();
}

/** Edges are on whole pixels, so cells neither overlap nor leave gaps. */
function edge(chart: uPlot, value: number, scale: "x" | "y"): number {
  return Math.round(chart.valToPos(value, scale, true));
}
