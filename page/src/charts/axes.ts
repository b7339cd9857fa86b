import type uPlot from "uplot";
import { color } from "./chart-line.ts";
import { clockTicks, logTicks, valueTicks } from "./ticks.ts";

const GUTTER_LEFT = 56;
const GUTTER_NARROW = 46;
const GUTTER_RIGHT = 72;
const GUTTER_RIGHT_LONG = 196;
const NARROW = 600;
/** Height of the axis with times. */
const AXIS_HEIGHT = 22;
/** Pixels that a label of an axis needs. */
const [PIXELS_OF_A_TIME, PIXELS_OF_A_VALUE] = [150, 40];

function isNarrow(): boolean {
  return innerWidth < NARROW;
}

/** Pixels beside a chart for the names of its lines. */
export function rightGutter(areNamesLong: boolean): number {
  if (isNarrow()) return 0;
  return areNamesLong ? GUTTER_RIGHT_LONG : GUTTER_RIGHT;
}

/** Whole steps of the clock; `formatTime` is `undefined` where another chart has the labels. */
export function timeAxis(formatTime: ((second: number) => string) | undefined): uPlot.Axis {
  return {
    ...look(),
    size: formatTime === undefined ? 0 : AXIS_HEIGHT,
    splits: (chart, _axis, min, max) => clockTicks(min, max, chart.width / PIXELS_OF_A_TIME),
    values: (_chart, splits) => {
      if (formatTime === undefined) return splits.map(() => "");
      const texts = splits.map(formatTime);
      // Seconds only where one of the labels needs them.
      const isWhole = texts.every((text) => /^\d\d:\d\d:00$/.test(text));
      return isWhole ? texts.map((text) => text.slice(0, 5)) : texts;
    },
  };
}

/** Round numbers; `textsOf` writes them, given all of them. */
export function valueAxis(
  textsOf: (values: readonly number[]) => readonly string[],
  isLogarithmic: boolean,
): uPlot.Axis {
  return {
    ...look(),
    size: isNarrow() ? GUTTER_NARROW : GUTTER_LEFT,
    splits: (chart, _axis, min, max) => {
      const most = Math.max(3, Math.round(chart.height / PIXELS_OF_A_VALUE));
      return isLogarithmic ? logTicks(min, max) : valueTicks(max, most);
    },
    // A logarithmic scale asks with nothing in the place of what it would leave out.
    filter: (_chart, splits) => splits,
    values: (_chart, splits) => [...textsOf(splits)],
  };
}

function look(): uPlot.Axis {
  return {
    stroke: color("--ink3"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: color("--grid"), width: 1 },
    ticks: { show: false },
  };
}
