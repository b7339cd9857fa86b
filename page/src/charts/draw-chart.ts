/** A chart of uPlot, made once and fed again whenever what it shows changes. */

import uPlot from "uplot";
import { guttersOf, timeAxis, valueAxis } from "./axes.ts";
import { seriesOf } from "./chart-line.ts";
import { drawEnd, drawMarks, drawRug, MARK_HEIGHT } from "./marks.ts";
import type { TimeChartProps } from "./time-chart-props.ts";

/** Charts of a view share their cursor. */
const SYNC = "load-test";
/** Above the highest line, and where no axis stands below the lowest. */
const [SPACE_ABOVE, SPACE_BELOW] = [6, 8];
const WIDTH_MIN = 200;
/** A shorter drag is a click. */
const DRAG_PIXELS_MIN = 3;

/** What a chart tells those who made it. */
export interface ChartListeners {
  /** Called after each drawing. */
  readonly onDrawn: (chart: uPlot) => void;
  /** Called when the cursor has moved, come or gone. */
  readonly onCursor: (chart: uPlot) => void;
}

/** Makes a chart in `holder`. `current` gives what it shows at the moment. */
export function createChart(
  holder: HTMLElement,
  current: () => TimeChartProps,
  listeners: ChartListeners,
): uPlot {
  const { lines, height, hidden, hasTimeAxis, isNarrow, isLogarithmic = false } = current();
  const { right } = guttersOf(isNarrow, current().areNamesLong);
  const above = current().hasMarkNumbers ? MARK_HEIGHT : SPACE_ABOVE;
  const options: uPlot.Options = {
    width: widthIn(holder),
    height,
    padding: [above, right, hasTimeAxis ? 0 : SPACE_BELOW, 0],
    legend: { show: false },
    cursor: {
      sync: { key: SYNC },
      drag: { x: true, y: false, setScale: false },
      points: { show: false },
      x: false,
      y: false,
    },
    scales: scalesOf(current),
    axes: [
      timeAxis(current, hasTimeAxis),
      valueAxis((values) => valueTexts(current(), values), isLogarithmic, isNarrow),
    ],
    series: [
      {},
      ...lines.map((line, index) =>
        seriesOf(line, line.isPreview || !hidden.has(line.name), () => current().lines[index]),
      ),
      ...(lines.length === 0 ? [NO_LINE] : []),
    ],
    hooks: {
      drawAxes: [(chart) => current().drawUnder?.(chart)],
      draw: [
        (chart) => {
          drawMarks(chart, current().marks, current().hasMarkNumbers ?? false);
          drawEnd(chart, current().endsAt);
          drawRug(chart, current().rug);
          listeners.onDrawn(chart);
        },
      ],
      setSelect: [(chart) => zoomToSelected(chart, current())],
      setCursor: [listeners.onCursor],
    },
  };
  const chart = new uPlot(options, dataOf(current()), holder);
  chart.over.addEventListener("dblclick", () => current().onZoomOut());
  // What ends a drag is no click: uPlot stops it.
  chart.over.addEventListener("click", () => chooseUnderCursor(chart, current()));
  return chart;
}

/** Shows other values in the same lines. */
export function feedChart(chart: uPlot, props: TimeChartProps): void {
  chart.setData(dataOf(props));
}

/** Takes the width of its holder. */
export function fitChart(chart: uPlot, holder: HTMLElement, height: number): void {
  const width = widthIn(holder);
  if (chart.width !== width || chart.height !== height) chart.setSize({ width, height });
}

/** Moves the cursor of this chart and all others to a place; `undefined` takes it away. */
export function moveCursor(chart: uPlot, second: number | undefined): void {
  const left = second === undefined ? -10 : chart.valToPos(second, "x");
  const top = second === undefined ? -10 : 0;
  for (const each of uPlot.sync(SYNC).plots) each.setCursor({ left, top });
}

function widthIn(holder: HTMLElement): number {
  return Math.max(WIDTH_MIN, holder.clientWidth);
}

function scalesOf(current: () => TimeChartProps): uPlot.Scales {
  return {
    x: { time: false, range: () => [current().seconds[0] ?? 0, current().seconds.at(-1) ?? 1] },
    y: {
      distr: current().isLogarithmic ? 3 : 1,
      range: (_chart, min, max) => valueRangeOf(current(), min, max),
    },
    own: { range: (_chart, _min, max) => [0, (max || 1) * 1.08] },
  };
}

/** Lowest value on a logarithmic axis, which has no 0. */
const LEAST = 1e-4;

function valueRangeOf(
  { isLogarithmic = false, valueRange }: TimeChartProps,
  min: number | null,
  max: number | null,
): uPlot.Range.MinMax {
  if (valueRange !== undefined) return [...valueRange];
  return isLogarithmic ? [Math.max(min ?? 0, LEAST), max || 1] : [0, (max || 1) * 1.05];
}

/** None where nothing is drawn: its scale would be made up. */
function valueTexts(
  { axisTexts, valueRange, lines }: TimeChartProps,
  values: readonly number[],
): readonly string[] {
  const isDrawn = lines.some((line) => line.values.some((value) => value !== null));
  return isDrawn || valueRange !== undefined ? axisTexts(values) : values.map(() => "");
}

/** A scale needs a line: this one stands in for it where there is only something under them. */
const NO_LINE: uPlot.Series = { paths: () => null, points: { show: false } };

function dataOf({ seconds, lines }: TimeChartProps): uPlot.AlignedData {
  const columns = lines.map(({ values }) => [...values]);
  return [[...seconds], ...(lines.length === 0 ? [seconds.map(() => null)] : columns)];
}

/** Whole windows: what is shown then is what was shown before, only nearer. */
function zoomToSelected(chart: uPlot, { onZoom, seconds }: TimeChartProps): void {
  const { left, width } = chart.select;
  if (width === 0) return;
  chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  // Of the charts that show the same selection, the one that was dragged over says so.
  const isOwn = chart.cursor.event !== undefined && chart.cursor.event !== null;
  if (width < DRAG_PIXELS_MIN || !isOwn) return;
  const first = windowAt(seconds, chart.posToVal(left, "x"));
  const last = windowAt(seconds, chart.posToVal(left + width, "x"));
  onZoom(seconds[first] ?? 0, seconds[last + 1] ?? 0);
}

function chooseUnderCursor(chart: uPlot, { seconds, onChoose }: TimeChartProps): void {
  const { left = -1 } = chart.cursor;
  if (left >= 0) onChoose?.(windowAt(seconds, chart.posToVal(left, "x")), "pointer");
}

/** Index of the window that a second is in: of those that begin before it, the last. */
export function windowAt(seconds: readonly number[], second: number): number {
  const next = seconds.findIndex((begin) => begin > second);
  const last = seconds.length - 2;
  return Math.max(0, next < 0 ? last : Math.min(next - 1, last));
}
