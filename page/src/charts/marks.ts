/** Drawn over the lines of a chart: findings and the seconds of a failure. */

import type uPlot from "uplot";
import { color } from "./colors.ts";
import { pushedApart } from "./line-ends.ts";
import type { ChartBox, ChartFlag } from "./time-chart-props.ts";

/** Space above a chart for mark numbers. */
export const MARK_HEIGHT = 20;
const MARK_RADIUS = 7;
const RUG = { height: 4, gap: 1, widthMin: 2 };

/** UNIX seconds, half-open. */
export type Stretch = readonly [from: number, until: number];

/** The window start nearest to a second: lines change only there. */
export function nearestBegin(seconds: readonly number[], second: number): number {
  const [begin = second, end = second] = [
    seconds.findLast((each) => each <= second),
    seconds.find((each) => each > second),
  ];
  return second - begin <= end - second ? begin : end;
}

/** Says above the values of an axis that it is logarithmic. */
export function drawScaleName({ ctx, bbox }: uPlot): void {
  ctx.save();
  ctx.fillStyle = color("--ink3");
  ctx.font = `${11 * devicePixelRatio}px Inter, system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  ctx.fillText("log", devicePixelRatio, bbox.top - 5 * devicePixelRatio);
  ctx.restore();
}

/** A dotted line at each of the seconds, with its number above if `hasNumbers`. */
export function drawMarks(chart: uPlot, marks: readonly number[], hasNumbers: boolean): void {
  const { ctx, bbox } = chart;
  const places = marks.map((second) => placeOf(chart, second));
  const radius = MARK_RADIUS * devicePixelRatio;
  const numbers = pushedApart(places, 2 * radius + 2, bbox.left + bbox.width + radius);
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  for (const [index, x] of places.entries()) {
    if (!isSeen(chart, x)) continue;
    strokeHairline(chart, x);
    const y = bbox.top - radius - 2 * devicePixelRatio;
    if (hasNumbers) drawNumber(ctx, numbers[index] ?? x, y, index + 1);
  }
  ctx.restore();
}

const FLAG = { width: 8, height: 7 };

/** A line with a pennant at each of the seconds, a bar over its range, and its text if `hasTexts` and there is room. */
export function drawFlags(chart: uPlot, flags: readonly ChartFlag[], hasTexts: boolean): void {
  const { ctx, bbox } = chart;
  ctx.save();
  // The line before may be dashed, as that of a baseline is.
  ctx.setLineDash([]);
  ctx.strokeStyle = color("--s4");
  ctx.fillStyle = color("--s4");
  ctx.lineWidth = devicePixelRatio;
  ctx.font = `${11 * devicePixelRatio}px Inter, system-ui, sans-serif`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  const right = bbox.left + bbox.width;
  for (const [index, { second, until = second, text }] of flags.entries()) {
    const x = placeOf(chart, second);
    const end = Math.min(placeOf(chart, until), right);
    const left = Math.max(x, bbox.left);
    if (end > left) ctx.fillRect(left, bbox.top, end - left, 2 * devicePixelRatio);
    if (!isSeen(chart, x)) continue;
    const next = flags[index + 1];
    const room = Math.min(next === undefined ? right : placeOf(chart, next.second), right) - x;
    if (hasTexts) drawText(ctx, text, { x, y: bbox.top, room });
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x + FLAG.width * devicePixelRatio, bbox.top + (FLAG.height / 2) * devicePixelRatio);
    ctx.lineTo(x, bbox.top + FLAG.height * devicePixelRatio);
    ctx.fill();
  }
  ctx.restore();
}

/** Less room is not worth a text. */
const TEXT_PIXELS_MIN = 40;

/** Cut at the end of its room. */
function drawText(
  ctx: CanvasRenderingContext2D,
  text: string,
  { x, y, room }: { readonly x: number; readonly y: number; readonly room: number },
): void {
  if (room < TEXT_PIXELS_MIN * devicePixelRatio) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, room - 4 * devicePixelRatio, 16 * devicePixelRatio);
  ctx.clip();
  ctx.fillText(text, x + (FLAG.width + 3) * devicePixelRatio, y + 3 * devicePixelRatio);
  ctx.restore();
}

/** A dotted line where the chart ends because the service does not answer. */
export function drawEnd(chart: uPlot, second: number | undefined): void {
  if (second === undefined) return;
  const x = placeOf(chart, second);
  if (!isSeen(chart, x)) return;
  chart.ctx.save();
  chart.ctx.lineWidth = devicePixelRatio;
  strokeHairline(chart, x);
  chart.ctx.restore();
}

/** In device pixels, at the middle of one. */
function placeOf(chart: uPlot, second: number): number {
  return Math.round(chart.valToPos(second, "x", true)) + 0.5;
}

function isSeen({ bbox }: uPlot, x: number): boolean {
  return x >= bbox.left && x <= bbox.left + bbox.width + 1;
}

function strokeHairline({ ctx, bbox }: uPlot, x: number): void {
  ctx.strokeStyle = color("--ink3");
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
}

function drawNumber(ctx: CanvasRenderingContext2D, x: number, y: number, number: number): void {
  ctx.setLineDash([]);
  ctx.strokeStyle = color("--ink2");
  ctx.beginPath();
  ctx.arc(x, y, MARK_RADIUS * devicePixelRatio, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.fillStyle = color("--ink");
  ctx.font = `${10 * devicePixelRatio}px Inter, system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(String(number), x, y);
}

/** A frame around a rectangle, as far as it is in the chart. */
export function drawBox(chart: uPlot, box: ChartBox | undefined): void {
  if (box === undefined) return;
  const { ctx, bbox } = chart;
  const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height];
  const xs = [box.from, box.until].map((second) => chart.valToPos(second, "x", true));
  const top = box.high === Infinity ? bbox.top : chart.valToPos(box.high, "y", true);
  const floor = box.low === 0 ? bottom : chart.valToPos(box.low, "y", true);
  const [left = 0, end = 0] = xs.map((x) => Math.round(Math.min(Math.max(x, bbox.left), right)));
  const [above, below] = [Math.round(Math.max(top, bbox.top)), Math.round(Math.min(floor, bottom))];
  if (end <= left || below <= above) return;
  ctx.save();
  ctx.setLineDash([]);
  ctx.strokeStyle = color("--ink");
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.strokeRect(left, above, end - left, below - above);
  ctx.restore();
}

/** Marks time ranges below a chart. */
export function drawRug(chart: uPlot, rug: readonly Stretch[]): void {
  const { ctx, bbox } = chart;
  const [first, last] = [bbox.left, bbox.left + bbox.width];
  ctx.save();
  ctx.fillStyle = color("--err");
  for (const [from, until] of rug) {
    const left = Math.max(first, chart.valToPos(from, "x", true));
    const right = Math.min(last, chart.valToPos(until, "x", true));
    if (right <= first || left >= last) continue;
    const width = Math.max(right - left, RUG.widthMin * devicePixelRatio);
    const top = bbox.top + bbox.height + RUG.gap * devicePixelRatio;
    ctx.fillRect(Math.round(left), top, Math.round(width), RUG.height * devicePixelRatio);
  }
  ctx.restore();
}
