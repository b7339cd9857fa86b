import type uPlot from "uplot";
import { color } from "./chart-line.ts";

/** Room above a chart for the numbers of marks. */
export const MARK_HEIGHT = 20;
const MARK_RADIUS = 7;

/** A dotted line at each of the seconds, and its number above where `hasNumbers` says so. */
export function drawMarks(chart: uPlot, marks: readonly number[], hasNumbers: boolean): void {
  const { ctx, bbox } = chart;
  ctx.save();
  for (const [index, second] of marks.entries()) {
    const x = Math.round(chart.valToPos(second, "x", true)) + 0.5;
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = color("--ink3");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (hasNumbers) drawNumber(ctx, x, bbox.top - (MARK_RADIUS + 2) * devicePixelRatio, index + 1);
  }
  ctx.restore();
}

function drawNumber(ctx: CanvasRenderingContext2D, x: number, y: number, number: number): void {
  ctx.setLineDash([]);
  ctx.strokeStyle = color("--ink2");
  ctx.beginPath();
  ctx.arc(x, y, MARK_RADIUS * devicePixelRatio, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.fillStyle = color("--ink");
  ctx.font = `${10 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(String(number), x, y);
}
