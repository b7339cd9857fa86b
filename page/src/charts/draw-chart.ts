/** A uPlot chart, created once and updated when its data change. */

import uPlot from "uplot";
import { guttersOf, timeAxis, valueAxis } from "./axes.ts";
import { seriesOf } from "./chart-line.ts";
import {
  drawBox,
  drawEnd,
  drawFlags,
  drawMarks,
  drawRug,
  drawScaleName,
  MARK_HEIGHT,
} from "./marks.ts";
import { writeAxisTexts } from "./printed-texts.ts";
import type { TimeChartProps } from "./time-chart-props.ts";

/** All charts of a view share their cursor. */
const SYNC = "load-test";
/** Space above the highest line, and below the lowest if there is no axis. */
const [SPACE_ABOVE, SPACE_BELOW] = [6, 8];
const WIDTH_MIN = 200;
/** A shorter drag is a click. */
const DRAG_PIXELS_MIN = 3;
/** A click chooses nothing if another one follows: a double click zooms out. */
const DOUBLE_CLICK_MS = 300;
/** A rectangle is at least this wide and high. */
const BOX_PIXELS_MIN = 16;

export interface ChartListeners {
  /** Called after each drawing. */
  readonly onDrawn: (chart: uPlot) => void;
  /** Called when the cursor moves, appears or leaves. */
  readonly onCursor: (chart: uPlot) => void;
}

/** Creates a chart in `holder`. `current` returns its current props. */
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
      drag: {
        x: true,
        // A drag that is flat chooses seconds.
        y: current().onBox !== undefined,
        uni: BOX_PIXELS_MIN,
        setScale: false,
      },
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
          if (isLogarithmic) drawScaleName(chart);
          drawMarks(chart, current().marks ?? [], current().hasMarkNumbers ?? false);
          drawFlags(chart, current().flags ?? [], current().hasMarkNumbers ?? false);
          drawEnd(chart, current().endsAt);
          drawRug(chart, current().rug ?? []);
          drawBox(chart, current().box);
          writeAxisTexts(chart);
          listeners.onDrawn(chart);
        },
      ],
      setSelect: [(chart) => zoomToSelected(chart, current())],
      setCursor: [listeners.onCursor],
    },
  };
  const chart = new uPlot(options, dataOf(current()), holder);
  let choice: ReturnType<typeof setTimeout> | undefined;
  chart.over.addEventListener("dblclick", () => {
    clearTimeout(choice);
    current().onZoomOut();
  });
  // The end of a drag is not a click: uPlot suppresses it.
  chart.over.addEventListener("click", () => {
    clearTimeout(choice);
    choice = setTimeout(choiceUnderCursor(chart, current()), DOUBLE_CLICK_MS);
  });
  return chart;
}

/** Updates the values of the same lines, and the texts of the axes: uPlot keeps those while the scales do not change. */
export function feedChart(chart: uPlot, props: TimeChartProps): void {
  chart.setData(dataOf(props));
  chart.redraw(false, true);
}

/** Fits the width of its holder. */
export function fitChart(chart: uPlot, holder: HTMLElement, height: number): void {
  const width = widthIn(holder);
  if (chart.width !== width || chart.height !== height) chart.setSize({ width, height });
}

/** Moves the cursor of all charts to a place; `undefined` hides it. */
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

/** A hairline is at most this many times as high as the other lines. */
const HAIRLINE_MAX = 2;

type Ranged = Pick<TimeChartProps, "isLogarithmic" | "valueRange" | "lines" | "hidden">;

export function valueRangeOf(
  chart: Ranged,
  min: number | null,
  highest: number | null,
): uPlot.Range.MinMax {
  const { isLogarithmic = false, valueRange } = chart;
  if (valueRange !== undefined) return [...valueRange];
  const max = highest && withHairlines(chart, highest);
  if (isLogarithmic) {
    const [low, high] = [Math.max(min ?? 0, LEAST), max || 1];
    // Between equal or swapped ends nothing is drawn.
    return [low < high ? low : high / 10, high];
  }
  const least = Math.min(0, min ?? 0);
  return [least * 1.05, least < 0 ? Math.max(0, max ?? 0) * 1.05 : (max || 1) * 1.05];
}

function withHairlines({ lines, hidden }: Ranged, highest: number): number {
  const hairlines = lines.filter(({ name, isHairline = false }) => isHairline && !hidden.has(name));
  const peak = hairlines
    .flatMap(({ values }) => values)
    .reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return Math.max(highest, Math.min(peak, HAIRLINE_MAX * highest));
}

/** No axis if nothing is drawn: its scale would be invented. */
function valueTexts(
  { axisTexts, valueRange, lines }: TimeChartProps,
  values: readonly number[],
): readonly string[] {
  const isDrawn = lines.some((line) => line.values.some((value) => value !== null));
  return isDrawn || valueRange !== undefined ? axisTexts(values) : values.map(() => "");
}

/** A scale needs a line; this one stands in if there is only something drawn below the lines. */
const NO_LINE: uPlot.Series = { paths: () => null, points: { show: false } };

function dataOf({ seconds, lines }: TimeChartProps): uPlot.AlignedData {
  const columns = lines.map(({ values }) => [...values]);
  return [[...seconds], ...(lines.length === 0 ? [seconds.map(() => null)] : columns)];
}

/** Whole windows, so that zooming shows the same windows, only larger. */
function zoomToSelected(chart: uPlot, { onZoom, onBox, seconds }: TimeChartProps): void {
  const { left, width, top, height } = chart.select;
  if (width === 0) return;
  chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  // Of charts that share a selection, the dragged one reports it.
  const isOwn = chart.cursor.event !== undefined && chart.cursor.event !== null;
  if (width < DRAG_PIXELS_MIN || !isOwn) return;
  const first = windowAt(seconds, chart.posToVal(left, "x"));
  const last = windowAt(seconds, chart.posToVal(left + width, "x"));
  const [from, until] = [seconds[first] ?? 0, seconds[last + 1] ?? 0];
  if (onBox === undefined || height >= chart.over.clientHeight) onZoom(from, until);
  else
    onBox({ from, until, low: chart.posToVal(top + height, "y"), high: chart.posToVal(top, "y") });
}

/** Chooses what is under the cursor now. */
function choiceUnderCursor(chart: uPlot, props: TimeChartProps): () => void {
  const { seconds, onChoose, onBox, onNote } = props;
  const { left = -1, top = -1 } = chart.cursor;
  const [second, value] = [chart.posToVal(left, "x"), chart.posToVal(top, "y")];
  const index = windowAt(seconds, second);
  return () => {
    if (left < 0) return;
    onChoose?.(index, "pointer");
    if (onBox === undefined) onNote?.(Math.floor(second));
    onBox?.({ from: seconds[index] ?? 0, until: seconds[index + 1] ?? 0, low: value, high: value });
  };
}

/** Index of the window that contains a second: the last that begins at or before it. */
export function windowAt(seconds: readonly number[], second: number): number {
  const next = seconds.findIndex((begin) => begin > second);
  const last = seconds.length - 2;
  return Math.max(0, next < 0 ? last : Math.min(next - 1, last));
}
