import type uPlot from "uplot";
import { tickTexts } from "../format/axis-texts.ts";
import { isPrinting } from "../parts/printing.ts";
import { color } from "./colors.ts";
import { clockTicks, logTicks, valueTicks } from "./ticks.ts";

/** Pixels beside a chart: values on the left, line names on the right. */
const GUTTERS = {
  wide: { left: 56, right: 92, rightLong: 196 },
  narrow: { left: 46, right: 0, rightLong: 0 },
};
/** Height of the time axis. */
export const AXIS_HEIGHT = 22;
/** Pixels for one axis label. */
const PIXELS_OF_A_TIME = 105;
const PIXELS_OF_A_VALUE = { wide: 40, narrow: 60 };
const [TICKS_MIN, TICKS_MAX] = [1, 5];
const FONT = "11px Inter, system-ui, sans-serif";

export interface Gutters {
  readonly left: number;
  readonly right: number;
}

/** Width beside a chart; line names can be as long as endpoint labels. */
export function guttersOf(isNarrow: boolean, areNamesLong: boolean): Gutters {
  const { left, right, rightLong } = isNarrow ? GUTTERS.narrow : GUTTERS.wide;
  return { left, right: areNamesLong ? rightLong : right };
}

/** Page margins on both sides. */
const MARGINS = { wide: 48, narrow: 32 };

/** Width of the plot area in the current window, in pixels. */
export function chartWidth(isNarrow: boolean, areNamesLong: boolean): number {
  const { left, right } = guttersOf(isNarrow, areNamesLong);
  return innerWidth - (isNarrow ? MARGINS.narrow : MARGINS.wide) - left - right;
}

/** Time format of an axis; `current` is read at each drawing. */
export interface TimeTexts {
  readonly formatTime: (second: number) => string;
  /** @default formatTime */
  readonly formatTick?: (second: number) => string;
  /** A second at which this clock shows 0. @default 0 */
  readonly clockOrigin?: number | undefined;
}

/** Whole clock steps; unlabelled where another chart has the labels. */
export function timeAxis(current: () => TimeTexts, hasLabels: boolean): uPlot.Axis {
  return {
    ...look(),
    size: hasLabels ? AXIS_HEIGHT : 0,
    splits: (chart, _axis, min, max) =>
      clockTicks(min, max, chart.width / PIXELS_OF_A_TIME, current().clockOrigin),
    values: (chart, splits) => {
      if (!hasLabels) return splits.map(() => "");
      const { formatTime, formatTick = formatTime } = current();
      const shown = tickTexts(splits.map(formatTick));
      return shown.map((text, index) => (isWithin(chart, splits[index] ?? 0, text) ? text : ""));
    },
  };
}

/** Half a character's width in pixels, roughly. */
const PIXELS_OF_HALF_A_CHARACTER = 3.2;

/** Whether the centred label of a second fits before the chart ends: half a time is useless. */
function isWithin(chart: uPlot, second: number, text: string): boolean {
  const middle = chart.bbox.left / devicePixelRatio + chart.valToPos(second, "x");
  return middle + text.length * PIXELS_OF_HALF_A_CHARACTER <= chart.width;
}

/** Round numbers, formatted together by `textsOf`. */
export function valueAxis(
  textsOf: (values: readonly number[]) => readonly string[],
  isLogarithmic: boolean,
  isNarrow: boolean,
): uPlot.Axis {
  return {
    ...look(),
    size: guttersOf(isNarrow, false).left,
    splits: (chart, _axis, min, max) => {
      const pixels = isNarrow ? PIXELS_OF_A_VALUE.narrow : PIXELS_OF_A_VALUE.wide;
      const room = Math.round(chart.height / pixels);
      const most = Math.min(Math.max(room, TICKS_MIN), TICKS_MAX);
      return isLogarithmic ? logTicks(min, max, chart.height) : valueTicks(max, most, min);
    },
    // A logarithmic scale passes nothing for labels it leaves out.
    filter: (_chart, splits) => splits,
    values: (_chart, splits) => [...textsOf(splits)],
  };
}

function look(): uPlot.Axis {
  return {
    stroke: isPrinting() ? "transparent" : color("--ink3"),
    font: FONT,
    gap: 6,
    grid: { stroke: color("--grid"), width: 1 },
    ticks: { show: false },
  };
}
