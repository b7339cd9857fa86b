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
const TITLE_HEIGHT = 28;
/** From the middle of the title to the chart. */
const TITLE_RISE = 10;
const PLOT_HEIGHT_MIN = 200;
const NAME_GAP = 8;
const FONTS = {
  name: "600 16px Inter, system-ui, sans-serif",
  title: "600 13px Inter, system-ui, sans-serif",
  text: "12px Inter, system-ui, sans-serif",
};

/** Redraws a chart in the current theme as a PNG, independent of the page's width. */
export async function chartPicture(props: TimeChartProps, caption: Caption): Promise<Blob> {
  return blobOf(await drawnChart(props, caption, HEAD_HEIGHT));
}

/** `headHeight`: room above the chart; the title alone needs `TITLE_HEIGHT`. */
async function drawnChart(
  props: TimeChartProps,
  caption: Caption,
  headHeight: number,
): Promise<HTMLCanvasElement> {
  const holder = document.body.appendChild(document.createElement("div"));
  holder.style.cssText = `position: fixed; left: -9999px; width: ${WIDTH - 2 * MARGIN}px`;
  const shown: TimeChartProps = {
    ...props,
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
    return composed(chart, shown, caption, headHeight);
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

function composed(
  chart: uPlot,
  props: TimeChartProps,
  caption: Caption,
  headHeight: number,
): HTMLCanvasElement {
  const drawn = chart.ctx.canvas;
  const scale = drawn.width / chart.width;
  const context = sheetOf(headHeight + chart.height + MARGIN, scale);
  context.drawImage(drawn, MARGIN, headHeight, chart.width, chart.height);
  if (headHeight === HEAD_HEIGHT) drawCaption(context, caption.name, caption.scope);
  drawTitle(context, props, headHeight - TITLE_RISE);
  context.translate(0, headHeight);
  drawNames(context, chart, props);
  drawClock(context, caption.clock, [rightEnd(props), chart.height + 6]);
  return context.canvas;
}

/** An empty picture of `height` page pixels, `scale` times as fine. */
function sheetOf(height: number, scale: number): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(WIDTH * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("BUG: a canvas without a context");
  context.fillStyle = color("--bg");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  return context;
}

/** Two lines, the first bold. */
function drawCaption(context: CanvasRenderingContext2D, name: string, text: string): void {
  const room = WIDTH - 2 * MARGIN;
  context.font = FONTS.name;
  write(context, cut(context, name, room), [MARGIN, 20], "--ink");
  context.font = FONTS.text;
  write(context, cut(context, text, room), [MARGIN, 42], "--ink2");
}

function drawTitle(context: CanvasRenderingContext2D, props: TimeChartProps, middle: number): void {
  context.font = FONTS.title;
  write(context, cut(context, props.title, WIDTH / 2 - MARGIN), [MARGIN, middle], "--ink");
  context.font = FONTS.text;
  if (props.fullestCell !== undefined) drawRampKey(context, props.fullestCell, middle);
}

const RAMP = { width: 120, height: 10, levels: 60 };

/** The colour legend, right of the title. */
function drawRampKey(context: CanvasRenderingContext2D, most: number, middle: number): void {
  const text = `${count(most)} request${most === 1 ? "" : "s"} in a cell`;
  const textLeft = WIDTH - MARGIN - context.measureText(text).width;
  const left = textLeft - 6 - RAMP.width;
  const colours = rampOf(heatStops(), RAMP.levels);
  for (let step = 0; step < RAMP.width; step++) {
    const place = placeOnRamp((step + 1) ** 2, RAMP.width ** 2);
    context.fillStyle = colours[Math.round(place * (RAMP.levels - 1))] ?? "";
    context.fillRect(left + step, middle - RAMP.height / 2, 1, RAMP.height);
  }
  write(context, text, [textLeft, middle], "--ink2");
  write(context, "1", [left - 12, middle], "--ink2");
}

/** A table and charts, one below the other. */
export interface Board {
  readonly name: string;
  /** Below the name; the first is cut to fit, as are the others. */
  readonly lines: readonly string[];
  /** Rows of cells; the first row and the first column name the others. */
  readonly table: readonly (readonly string[])[];
  readonly charts: readonly TimeChartProps[];
  readonly caption: Caption;
}

const LINE_HEIGHT = 22;
const COLUMN_WIDTHS = { first: 200, other: 120 };

/** Draws text, a table and charts into one PNG. */
export async function boardPicture({ name, lines, table, charts, caption }: Board): Promise<Blob> {
  const drawn: HTMLCanvasElement[] = [];
  for (const chart of charts) drawn.push(await drawnChart(chart, caption, TITLE_HEIGHT));
  const scale = (drawn[0]?.width ?? WIDTH) / WIDTH;
  const top = 20 + (lines.length + table.length + 1) * LINE_HEIGHT;
  const height = drawn.reduce((sum, canvas) => sum + canvas.height / scale, top);
  const context = sheetOf(height, scale);
  const room = WIDTH - 2 * MARGIN;
  drawCaption(context, name, lines[0] ?? "");
  for (const [index, line] of lines.slice(1).entries()) {
    write(context, cut(context, line, room), [MARGIN, 42 + (index + 1) * LINE_HEIGHT], "--ink");
  }
  for (const [index, cells] of table.entries()) {
    drawRow(context, cells, 42 + (lines.length + index) * LINE_HEIGHT, index === 0);
  }
  let place = top;
  for (const canvas of drawn) {
    context.drawImage(canvas, 0, place, WIDTH, canvas.height / scale);
    place += canvas.height / scale;
  }
  return blobOf(context.canvas);
}

function drawRow(
  context: CanvasRenderingContext2D,
  [name = "", ...cells]: readonly string[],
  middle: number,
  isHead: boolean,
): void {
  write(context, cut(context, name, COLUMN_WIDTHS.first), [MARGIN, middle], "--ink2");
  for (const [index, cell] of cells.entries()) {
    const right = MARGIN + COLUMN_WIDTHS.first + (index + 1) * COLUMN_WIDTHS.other;
    const left = right - context.measureText(cell).width;
    write(context, cell, [left, middle], isHead ? "--ink2" : "--ink");
  }
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
    const y = tops[index] ?? 0;
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
