/** What the cursor shows: a box with values in each chart, and a hairline through each of them. */

import type uPlot from "uplot";
import type { Quantity } from "../format/numbers.ts";
import type { ChartLine } from "./chart-line.ts";
import { windowAt } from "./draw-chart.ts";
import { type ReadoutRow, readoutText, showReadout, showTime } from "./readout.ts";
import type { TimeChartProps } from "./time-chart-props.ts";

/** Elements moved by the cursor; some charts lack some of them. */
export interface CursorParts {
  readonly readout: Part;
  readonly hairline: Part;
  readonly time: Part;
  readonly outline: Part;
}

interface Part {
  readonly current: HTMLDivElement | null;
}

/** Shows the values under a chart's cursor, or hides them when it is elsewhere. */
export function showCursor(chart: uPlot, parts: CursorParts, props: TimeChartProps): void {
  const { seconds } = props;
  const { left = -1, top = -1 } = chart.cursor;
  const isAway = left < 0 || seconds.length < 2;
  const place = isAway ? undefined : placeOf(chart, seconds, { left, top });
  if (parts.hairline.current !== null) {
    showHairline(chart, parts.hairline.current, place !== undefined);
  }
  if (parts.time.current !== null) showTime(chart, parts.time.current, timeAt(props, place));
  if (parts.outline.current !== null) showOutline(chart, parts.outline.current, props, place);
  if (parts.readout.current !== null) {
    showReadout(chart, parts.readout.current, rowsAt(props, place));
  }
}

/** A window's values in words, or what the chart is about. */
export function cursorText(props: TimeChartProps, index: number | undefined): string {
  const { seconds, formatTime } = props;
  if (index === undefined) {
    return `${formatTime(seconds[0] ?? 0)} to ${formatTime(seconds.at(-1) ?? 0)}`;
  }
  const values = readoutText(rowsAt(props, { index, value: undefined }));
  return `${formatTime(seconds[index] ?? 0)}: ${values === "" ? "no values" : values}`;
}

/** A window, and the cursor's height where it matters. */
interface Place {
  readonly index: number;
  readonly value: number | undefined;
}

function placeOf(
  chart: uPlot,
  seconds: readonly number[],
  { left, top }: { readonly left: number; readonly top: number },
): Place {
  const index = windowAt(seconds, chart.posToVal(left, "x"));
  // If the cursor is over another chart or moved by keys, only its time matters.
  return { index, value: chart.over.matches(":hover") ? chart.posToVal(top, "y") : undefined };
}

function showHairline(chart: uPlot, hairline: HTMLElement, isShown: boolean): void {
  hairline.hidden = !isShown;
  hairline.style.left = `${Math.round(chart.over.offsetLeft + (chart.cursor.left ?? 0))}px`;
  // On narrow screens the names of the lines are above the plot.
  const top = (chart.root.parentElement?.offsetTop ?? 0) + chart.over.offsetTop;
  hairline.style.top = `${top}px`;
  hairline.style.height = `${chart.over.clientHeight}px`;
}

/** A frame around the cell whose values are shown. */
function showOutline(
  chart: uPlot,
  outline: HTMLElement,
  { seconds, outlineAt }: TimeChartProps,
  place: Place | undefined,
): void {
  const { index = 0, value } = place ?? {};
  const range = value === undefined ? undefined : outlineAt?.(index, value);
  outline.hidden = range === undefined;
  if (range === undefined) return;
  const left = chart.valToPos(seconds[index] ?? 0, "x");
  const right = chart.valToPos(seconds[index + 1] ?? 0, "x");
  const [bottom, top] = [chart.valToPos(range[0], "y"), chart.valToPos(range[1], "y")];
  outline.style.left = `${chart.over.offsetLeft + left}px`;
  outline.style.top = `${chart.over.offsetTop + top}px`;
  outline.style.width = `${right - left}px`;
  outline.style.height = `${bottom - top}px`;
}

function timeAt({ seconds, formatTime }: TimeChartProps, place: Place | undefined): string {
  return place === undefined ? "" : formatTime(seconds[place.index] ?? 0);
}

function rowsAt(props: TimeChartProps, place: Place | undefined): readonly ReadoutRow[] {
  if (place === undefined) return [];
  const { index } = place;
  if (props.readAt !== undefined) return props.readAt(index, place.value);
  return [...flagsAt(props, index), ...linesAt(props, index)];
}

/** What happened in the window; once, in the chart above the others. */
function flagsAt({ flags = [], seconds, hasMarkNumbers }: TimeChartProps, index: number) {
  if (!hasMarkNumbers) return [];
  const [begin = 0, end = 0] = [seconds[index], seconds[index + 1]];
  return flags
    .filter(({ second }) => second >= begin && second < end)
    .map(({ text }) => ({ head: text }));
}

/** Measured values first, then what they are compared with. */
function linesAt(props: TimeChartProps, index: number): readonly ReadoutRow[] {
  const { hidden, formatValue } = props;
  const lines = props.lines.toSorted((left, right) => rankOf(left) - rankOf(right));
  return lines.flatMap((line): ReadoutRow[] => {
    const { name, text = name, scale } = line;
    const { values, downTo } = readOf(line);
    const [value, low] = [values[index], downTo?.[index]];
    if (value === null || value === undefined || hidden.has(name) || line.isPreview) return [];
    const isSecond = scale === "own" || downTo !== undefined;
    const high = scale === "own" ? plain(value) : formatValue(value);
    const quantity = low === null || low === undefined ? high : between(formatValue(low), high);
    return [{ name: text, value: quantity, isSecond, color: line.color }];
  });
}

function rankOf({ isLimit = false, downTo }: ChartLine): number {
  return isLimit ? 2 : downTo === undefined ? 0 : 1;
}

/** What is read out of a line: its own values, or its edges. */
function readOf({ part, values, downTo }: ChartLine): Pick<ChartLine, "values" | "downTo"> {
  return part === undefined ? { values, ...(downTo && { downTo }) } : { values: part };
}

function plain(value: number): Quantity {
  return { digits: String(Math.round(value)), unit: "" };
}

/** `224 to 251 ms`, `0.9 ms to 1.2 s`. */
export function between(low: Quantity, high: Quantity): Quantity {
  const first = low.unit === high.unit ? low.digits : `${low.digits} ${low.unit}`;
  return { digits: `${first} to ${high.digits}`, unit: high.unit };
}
