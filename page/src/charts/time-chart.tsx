import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Values } from "./grid.ts";
import { clockTicks, valueTicks } from "./ticks.ts";

/** One line (or area) of a chart. */
export interface ChartLine {
  readonly name: string;
  readonly values: Values;
  /** Name of the custom property that holds its colour. */
  readonly color: string;
  readonly fill?: string;
  readonly dash?: readonly number[];
  readonly width?: number;
  /** `own`: a scale of its own, without an axis. */
  readonly scale?: "own";
}

export interface TimeChartProps {
  readonly title: string;
  readonly height: number;
  /** UNIX seconds at which windows begin, and the end of the range. */
  readonly seconds: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly formatValue: (value: number) => string;
  readonly formatTime: (second: number) => string;
  readonly hasTimeAxis: boolean;
  readonly isLogarithmic?: boolean;
  /** Seconds with a number, for findings. */
  readonly marks?: readonly number[];
  /** Draws on top, in the coordinates of the chart. */
  readonly drawOver?: (chart: uPlot) => void;
  readonly onZoom: (from: number, until: number) => void;
  readonly onZoomOut: () => void;
}

const GUTTER_LEFT = 56;
const GUTTER_RIGHT = 72;
const GUTTER_NARROW = 38;
const NARROW = 600;
const AXIS_HEIGHT = 22;
const SYNC = "load-test";

/** Lines over time, as steps; all charts of a view share cursor and range. */
export function TimeChart(props: TimeChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return undefined;
    let chart = draw(element, readout.current, props);
    const redraw = (): void => {
      chart.destroy();
      chart = draw(element, readout.current, props);
    };
    const observer = new ResizeObserver(() => {
      if (chart.width !== element.clientWidth) redraw();
    });
    observer.observe(element);
    addEventListener("tachograph-theme", redraw);
    return () => {
      observer.disconnect();
      removeEventListener("tachograph-theme", redraw);
      chart.destroy();
    };
  }, [props]);
  const names = props.lines.map(({ name }) => name).join(", ");
  return (
    <div
      class="chart"
      role="img"
      aria-label={`${props.title}: ${names}. The table has the numbers.`}
    >
      <div class="plot" ref={holder} />
      <div class="readout" ref={readout} aria-hidden="true" />
    </div>
  );
}

function draw(element: HTMLElement, readout: HTMLElement | null, props: TimeChartProps): uPlot {
  const { seconds, lines, height, hasTimeAxis } = props;
  const data = [[...seconds], ...lines.map(({ values }) => [...values])] as uPlot.AlignedData;
  const options: uPlot.Options = {
    width: Math.max(200, element.clientWidth),
    height: height + (hasTimeAxis ? AXIS_HEIGHT : 0),
    padding: [6, isNarrow() ? 0 : GUTTER_RIGHT, 0, 0],
    legend: { show: false },
    cursor: {
      sync: { key: SYNC },
      drag: { x: true, y: false, setScale: false },
      points: { show: false },
      y: false,
    },
    scales: {
      x: { time: false, range: [seconds[0] ?? 0, seconds.at(-1) ?? 1] },
      y: { distr: props.isLogarithmic ? 3 : 1, range: rangeOf(props) },
      own: { range: (_chart, _min, max) => [0, (max || 1) * 1.08] },
    },
    axes: [timeAxis(props), valueAxis(props)],
    series: [{}, ...lines.map(lineOf)],
    hooks: {
      draw: [(chart) => drawMarks(chart, props), (chart) => props.drawOver?.(chart)],
      setSelect: [(chart) => zoomTo(chart, props)],
      setCursor: [(chart) => showValues(chart, readout, props)],
    },
  };
  const chart = new uPlot(options, data, element);
  chart.over.addEventListener("dblclick", props.onZoomOut);
  return chart;
}

function rangeOf({ isLogarithmic = false }: TimeChartProps): uPlot.Range.Function {
  return (_chart, min, max) =>
    isLogarithmic ? [Math.max(min, 1e-4), max || 1] : [0, (max || 1) * 1.05];
}

function isNarrow(): boolean {
  return innerWidth < NARROW;
}

function timeAxis({ hasTimeAxis, formatTime }: TimeChartProps): uPlot.Axis {
  return {
    size: hasTimeAxis ? AXIS_HEIGHT : 0,
    stroke: color("--ink3"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: color("--grid"), width: 1 },
    ticks: { show: false },
    splits: (chart, _axis, min, max) => clockTicks(min, max, chart.width / 150),
    values: (_chart, splits) => splits.map((second) => (hasTimeAxis ? formatTime(second) : "")),
  };
}

function valueAxis({ formatValue, isLogarithmic }: TimeChartProps): uPlot.Axis {
  return {
    size: isNarrow() ? GUTTER_NARROW : GUTTER_LEFT,
    stroke: color("--ink3"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: color("--grid"), width: 1 },
    ticks: { show: false },
    ...(isLogarithmic ? {} : { splits: (_chart, _axis, _min, max) => valueTicks(max) }),
    values: (_chart, splits) => splits.map((value) => (value === null ? "" : formatValue(value))),
  };
}

const stepped = uPlot.paths.stepped?.({ align: 1 });

function lineOf(line: ChartLine): uPlot.Series {
  return {
    label: line.name,
    stroke: color(line.color),
    width: line.width ?? 1.25,
    spanGaps: false,
    points: { show: false },
    ...(line.fill === undefined ? {} : { fill: color(line.fill) }),
    ...(line.dash === undefined ? {} : { dash: [...line.dash] }),
    ...(line.scale === undefined ? {} : { scale: line.scale }),
    ...(stepped === undefined ? {} : { paths: stepped }),
  };
}

/** The value of a custom property, as the theme has it now. */
export function color(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

function zoomTo(chart: uPlot, { onZoom, seconds }: TimeChartProps): void {
  const { left, width } = chart.select;
  if (width < 3) return;
  const [from, until] = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")];
  chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  const [first, last] = [seconds[0] ?? 0, seconds.at(-1) ?? 0];
  onZoom(Math.max(first, Math.floor(from)), Math.min(last, Math.ceil(until)));
}

function drawMarks(chart: uPlot, { marks = [] }: TimeChartProps): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = color("--ink3");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const second of marks) {
    const x = Math.round(chart.valToPos(second, "x", true)) + 0.5;
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** The values under the cursor, on the side of it where there is room. */
function showValues(chart: uPlot, readout: HTMLElement | null, props: TimeChartProps): void {
  const { idx, left = -1 } = chart.cursor;
  if (readout === null) return;
  if (idx === undefined || idx === null || left < 0) {
    readout.replaceChildren();
    return;
  }
  const rows = props.lines.flatMap(({ name, values, scale }) => {
    const value = values[idx];
    if (value === null || value === undefined) return [];
    return `${name} ${scale === "own" ? Math.round(value) : props.formatValue(value)}`;
  });
  const second = props.seconds[idx] ?? 0;
  const texts = [props.formatTime(second), ...rows];
  readout.replaceChildren(...texts.map(textRow));
  const isRight = left > chart.over.clientWidth * 0.7;
  const x = chart.over.offsetLeft + left;
  readout.style.left = isRight ? "" : `${x + 10}px`;
  readout.style.right = isRight ? `${(readout.parentElement?.clientWidth ?? 0) - x + 10}px` : "";
}

function textRow(text: string): HTMLElement {
  const row = document.createElement("div");
  row.textContent = text;
  return row;
}
