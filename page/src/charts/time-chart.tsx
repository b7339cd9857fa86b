import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { rightGutter, timeAxis, valueAxis } from "./axes.ts";
import { type ChartLine, seriesOf } from "./chart-line.ts";
import type { Values } from "./grid.ts";
import { endValue, pushedApart } from "./line-ends.ts";
import { LineNames } from "./line-names.tsx";
import { drawMarks, MARK_HEIGHT } from "./marks.ts";
import { type ReadoutRow, showReadout, showTime } from "./readout.ts";

export interface TimeChartProps {
  readonly title: string;
  /** In pixels, axis and numbers of marks included. */
  readonly height: number;
  /** UNIX seconds at which windows begin, and the end of the range. */
  readonly seconds: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Names of lines that are switched off. */
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  /** Whether lines have names as long as labels of endpoints, in this chart or another one. */
  readonly areNamesLong: boolean;
  readonly formatValue: (value: number) => string;
  readonly axisTexts: (values: readonly number[]) => readonly string[];
  readonly formatTime: (second: number) => string;
  readonly hasTimeAxis: boolean;
  readonly isLogarithmic?: boolean;
  /** Lowest and highest value of the axis, where the lines do not say them. */
  readonly valueRange?: readonly [low: number, high: number];
  /** Seconds of findings, in their order. */
  readonly marks: readonly number[];
  /** Whether the numbers of the findings stand above this chart. */
  readonly hasMarkNumbers?: boolean;
  /** Draws under the lines. */
  readonly drawUnder?: (chart: uPlot) => void;
  /** What stands beside the cursor, where that is not the values of the lines. */
  readonly readAt?: (index: number, value: number) => readonly ReadoutRow[];
  readonly onZoom: (from: number, until: number) => void;
  readonly onZoomOut: () => void;
}

const SYNC = "load-test";
const NAME_HEIGHT = 13;
/** Above the highest line, and where no axis stands below the lowest. */
const [SPACE_ABOVE, SPACE_BELOW] = [6, 8];

/** The parts of the page that a chart writes into. */
interface Elements {
  readonly holder: HTMLElement;
  readonly readout: HTMLElement;
  readonly time: HTMLElement | null;
}

/** Lines over time, as steps; all charts of a view share cursor and range. */
export function TimeChart(props: TimeChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLDivElement>(null);
  const time = useRef<HTMLDivElement>(null);
  const [tops, setTops] = useState<readonly number[]>([]);
  const { lines, seconds, hidden, formatTime, isLogarithmic, drawUnder, readAt } = props;
  const { areNamesLong } = props;
  const marks = props.marks.join(",");
  useEffect(() => {
    if (holder.current === null || readout.current === null) return undefined;
    const parts = { holder: holder.current, readout: readout.current, time: time.current };
    let chart: uPlot | undefined;
    const redraw = (): void => {
      chart?.destroy();
      chart = draw(parts, props, (drawn) => setTops(topsOf(drawn, lines)));
    };
    redraw();
    const observer = new ResizeObserver(() => {
      if (chart?.width !== widthOf(parts)) redraw();
    });
    observer.observe(parts.holder);
    addEventListener("tachograph-theme", redraw);
    return () => {
      observer.disconnect();
      removeEventListener("tachograph-theme", redraw);
      chart?.destroy();
    };
  }, [lines, seconds, hidden, formatTime, isLogarithmic, drawUnder, readAt, marks, areNamesLong]);
  const names = lines.map(({ name, text = name }) => text).join(", ");
  return (
    <div class="chart">
      <div
        class="plot"
        ref={holder}
        role="img"
        aria-label={`${props.title}: ${names}. The table has the numbers.`}
      />
      <LineNames
        lines={lines}
        tops={tops}
        hidden={hidden}
        onToggle={props.onToggle}
        areLong={props.areNamesLong}
      />
      <div class="readout" ref={readout} aria-hidden="true" />
      {props.hasTimeAxis ? <div class="time-tag" ref={time} aria-hidden="true" /> : null}
    </div>
  );
}

function widthOf({ holder }: Elements): number {
  return Math.max(200, holder.clientWidth);
}

function draw(elements: Elements, props: TimeChartProps, onReady: (chart: uPlot) => void): uPlot {
  const { seconds, lines, height, hasTimeAxis, hidden, marks, hasMarkNumbers = false } = props;
  const { isLogarithmic = false } = props;
  const columns = lines.length === 0 ? [seconds.map(() => null)] : lines.map(valuesOf);
  const data = [[...seconds], ...columns] as uPlot.AlignedData;
  const toSeries = (line: ChartLine) => seriesOf(line, !hidden.has(line.name));
  const above = hasMarkNumbers ? MARK_HEIGHT : SPACE_ABOVE;
  const options: uPlot.Options = {
    width: widthOf(elements),
    height,
    padding: [above, rightGutter(props.areNamesLong), hasTimeAxis ? 0 : SPACE_BELOW, 0],
    legend: { show: false },
    cursor: {
      sync: { key: SYNC },
      drag: { x: true, y: false, setScale: false },
      points: { show: false },
      y: false,
    },
    scales: {
      x: { time: false, range: [seconds[0] ?? 0, seconds.at(-1) ?? 1] },
      y: { distr: isLogarithmic ? 3 : 1, range: rangeOf(props) },
      own: { range: (_chart, _min, max) => [0, (max || 1) * 1.08] },
    },
    axes: [
      timeAxis(hasTimeAxis ? props.formatTime : undefined),
      valueAxis(props.axisTexts, isLogarithmic),
    ],
    series: [{}, ...(lines.length === 0 ? [NO_LINE] : lines.map(toSeries))],
    hooks: {
      ready: [onReady],
      drawAxes: [(chart) => props.drawUnder?.(chart)],
      draw: [(chart) => drawMarks(chart, marks, hasMarkNumbers)],
      setSelect: [(chart) => zoomTo(chart, props)],
      setCursor: [(chart) => showCursor(chart, elements, props)],
    },
  };
  const chart = new uPlot(options, data, elements.holder);
  chart.over.addEventListener("dblclick", props.onZoomOut);
  return chart;
}

/** A scale needs a line: this one stands in for it where there is only something under them. */
const NO_LINE: uPlot.Series = { paths: () => null, points: { show: false } };

function valuesOf({ values }: ChartLine): Values {
  return values;
}

function rangeOf({ isLogarithmic = false, valueRange }: TimeChartProps): uPlot.Range.Function {
  if (valueRange !== undefined) return () => [...valueRange];
  return (_chart, min, max) =>
    isLogarithmic ? [Math.max(min, 1e-4), max || 1] : [0, (max || 1) * 1.05];
}

/** Where the names of the lines stand, from the top of the chart. */
function topsOf(chart: uPlot, lines: readonly ChartLine[]): number[] {
  const height = chart.over.clientHeight;
  const wishes = lines.map(({ values, hangsFrom, scale = "y" }) => {
    const value = endValue(hangsFrom ?? values);
    const place = value === undefined ? height : chart.valToPos(value, scale);
    return Number.isFinite(place) ? Math.min(Math.max(place, 0), height) : height;
  });
  const places = pushedApart(wishes, NAME_HEIGHT, height);
  return places.map((place) => place + chart.over.offsetTop);
}

function zoomTo(chart: uPlot, { onZoom, seconds }: TimeChartProps): void {
  const { left, width } = chart.select;
  if (width < 3) return;
  const [from, until] = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")];
  chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  const [first, last] = [seconds[0] ?? 0, seconds.at(-1) ?? 0];
  onZoom(Math.max(first, Math.floor(from)), Math.min(last, Math.ceil(until)));
}

function showCursor(chart: uPlot, elements: Elements, props: TimeChartProps): void {
  const { left = -1, top = -1 } = chart.cursor;
  const index = left < 0 ? -1 : windowAt(props.seconds, chart.posToVal(left, "x"));
  const isOutside = index < 0;
  if (elements.time !== null) {
    showTime(chart, elements.time, isOutside ? "" : props.formatTime(props.seconds[index] ?? 0));
  }
  const read = props.readAt ?? ((point: number) => valuesAt(props, point));
  // Where the cursor is over another chart, only its time counts.
  const value = chart.over.matches(":hover") ? chart.posToVal(top, "y") : Number.NaN;
  showReadout(chart, elements.readout, isOutside ? [] : read(index, value));
}

/** The window that a second is in: of those that begin before it, the last. */
function windowAt(seconds: readonly number[], second: number): number {
  const next = seconds.findIndex((begin) => begin > second);
  return Math.min(next < 0 ? seconds.length : next, seconds.length - 1) - 1;
}

function valuesAt({ lines, hidden, formatValue }: TimeChartProps, index: number): ReadoutRow[] {
  return lines.flatMap(({ name, text = name, values, scale }) => {
    const value = values[index];
    if (value === null || value === undefined || hidden.has(name)) return [];
    return [[text, scale === "own" ? String(Math.round(value)) : formatValue(value)] as const];
  });
}
