/** A chart as a standalone picture, with title, scope, axes and line names. */

import type uPlot from "uplot";
import { count } from "../format/numbers.ts";
import { AXIS_HEIGHT, guttersOf } from "./axes.ts";
import type { Caption } from "./caption.ts";
import { color, heatStops } from "./colors.ts";
import { createChart } from "./draw-chart.ts";
import { placeOnRamp, rampOf } from "./heat-cells.ts";
import { nameTops } from "./line-ends.ts";
import type { TimeChartProps } from "./time-chart-props.ts";

/** In page pixels, as wide as charts on a usual screen. */
const WIDTH = 1200;
const MARGIN = 20;
/** Above the chart: name and scope, then the title. */
const HEAD_HEIGHT = 76;
const PLOT_HEIGHT_MIN = 200;
const NAME_GAP = 8;
const FONTS = {
  name: "600 16px Inter, system-ui, sans-serif",
  title: "600 13px Inter, system-ui, sans-serif",
  text: "12px Inter, system-ui, sans-serif",
};

/** Redraws a chart in the current theme as a PNG, independent of the page's width. */
export async function chartPicture(props: TimeChartProps, caption: Caption): Promise<Blob> {
  const holder = document.body.appendChild(document.createElement("div"));
  holder.style.cssText = `position: fixed; left: -9999px; width: ${WIDTH - 2 * MARGIN}px`;
  const { hairline: _, ...rest } = props;
  const shown: TimeChartProps = {
    ...rest,
    lines: props.lines.filter(
      ({ name, isPreview = false }) => !isPreview && !props.hidden.has(name),
    ),
    height: Math.max(props.height, PLOT_HEIGHT_MIN) + AXIS_HEIGHT,
    isNarrow: false,
    hasTimeAxis: true,
    hasMarkNumbers: true,
  };
  const chart = await drawnIn(holder, shown);
  try {
    return await blobOf(composed(chart, shown, caption));
  } finally {
    chart.destroy();
    holder.remove();
  }
}

function drawnIn(holder: HTMLElement, props: TimeChartProps): Promise<uPlot> {
  return new Promise((resolve) => {
    createChart(holder, () => props, { onDrawn: resolve, onCursor: () => undefined });
  });
}

function composed(chart: uPlot, props: TimeChartProps, caption: Caption): HTMLCanvasElement {
  const drawn = chart.ctx.canvas;
  const scale = drawn.width / chart.width;
  const height = HEAD_HEIGHT + chart.height + MARGIN;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(WIDTH * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("BUG: a canvas without a context");
  context.fillStyle = color("--bg");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawn, Math.round(MARGIN * scale), Math.round(HEAD_HEIGHT * scale));
  context.scale(scale, scale);
  drawHead(context, props, caption);
  drawNames(context, chart, props);
  drawClock(context, caption.clock, [rightEnd(props), HEAD_HEIGHT + chart.height + 6]);
  return canvas;
}

function drawHead(
  context: CanvasRenderingContext2D,
  props: TimeChartProps,
  caption: Caption,
): void {
  const room = WIDTH - 2 * MARGIN;
  context.font = FONTS.name;
  write(context, cut(context, caption.name, room), [MARGIN, 20], "--ink");
  context.font = FONTS.text;
  write(context, cut(context, caption.scope, room), [MARGIN, 42], "--ink2");
  context.font = FONTS.title;
  write(context, cut(context, props.title, room / 2), [MARGIN, 66], "--ink");
  context.font = FONTS.text;
  if (props.fullestCell !== undefined) drawRampKey(context, props.fullestCell);
}

const RAMP = { width: 120, height: 10, levels: 60 };

/** The colour legend, right of the title. */
function drawRampKey(context: CanvasRenderingContext2D, most: number): void {
  const text = `${count(most)} request${most === 1 ? "" : "s"} in a cell`;
  const textLeft = WIDTH - MARGIN - context.measureText(text).width;
  const left = textLeft - 6 - RAMP.width;
  const colours = rampOf(heatStops(), RAMP.levels);
  for (let step = 0; step < RAMP.width; step++) {
    const place = placeOnRamp((step + 1) ** 2, RAMP.width ** 2);
    context.fillStyle = colours[Math.round(place * (RAMP.levels - 1))] ?? "";
    context.fillRect(left + step, 61, 1, RAMP.height);
  }
  write(context, text, [textLeft, 66], "--ink2");
  write(context, "1", [left - 12, 66], "--ink2");
}

/** Below the axis, the kind of times. */
function drawClock(
  context: CanvasRenderingContext2D,
  clock: string,
  [right, middle]: readonly [right: number, middle: number],
): void {
  const text = `time, ${clock}`;
  write(context, text, [right - context.measureText(text).width, middle], "--ink3");
}

/** End of the range. */
function rightEnd({ areNamesLong }: TimeChartProps): number {
  return WIDTH - MARGIN - guttersOf(false, areNamesLong).right;
}

/** Names at the ends of lines, as in the page. */
function drawNames(context: CanvasRenderingContext2D, chart: uPlot, props: TimeChartProps): void {
  const tops = nameTops(chart, props.lines);
  for (const [index, line] of props.lines.entries()) {
    const { name, text = name, endText = text, textColor = line.color } = line;
    const y = HEAD_HEIGHT + (tops[index] ?? 0);
    let left = rightEnd(props) + NAME_GAP;
    if (text !== name) {
      context.fillStyle = color(line.color);
      context.fillRect(left, y - 1, 12, 2);
      left += 17;
    }
    write(context, cut(context, endText, WIDTH - MARGIN - left), [left, y], textColor);
  }
}

function write(
  context: CanvasRenderingContext2D,
  text: string,
  [left, middle]: readonly [left: number, middle: number],
  ink: string,
): void {
  context.fillStyle = color(ink);
  context.textBaseline = "middle";
  context.fillText(text, left, middle);
}

/** Shortens a text in the middle to fit. */
function cut(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  const letters = Array.from(text);
  for (let kept = letters.length - 1; kept > 0; kept--) {
    const head = letters.slice(0, Math.ceil(kept / 2)).join("");
    const shorter = `${head}…${letters.slice(letters.length - Math.floor(kept / 2)).join("")}`;
    if (context.measureText(shorter).width <= room) return shorter;
  }
  return "…";
}

function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("BUG: no picture of a canvas"));
      else resolve(blob);
    }, "image/png");
  });
}
