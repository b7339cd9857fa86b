import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { Series, Users } from "../api/figures.ts";
import { type Grid, gridOf, type Values, valuesOn } from "../charts/grid.ts";
import { type ChartLine, color, TimeChart } from "../charts/time-chart.tsx";
import { count, duration, rate } from "../format/numbers.ts";

export interface ChartsProps {
  readonly series: Series;
  readonly users: Users;
  /** UNIX seconds, half open. */
  readonly range: { readonly from: number; readonly until: number };
  readonly resolution: number;
  readonly isLogarithmic: boolean;
  readonly marks: readonly number[];
  readonly formatTime: (second: number) => string;
  readonly onZoom: (from: number, until: number) => void;
  readonly onZoomOut: () => void;
}

/** Response time, requests and bytes of what is shown, over one time axis. */
export function Charts(props: ChartsProps) {
  const { series, users, range, resolution, isLogarithmic } = props;
  const charts = useMemo(() => {
    const grid = gridOf(range.from, range.until, resolution);
    return {
      grid,
      times: timeLines(grid, series),
      requests: requestLines(grid, series, users),
      failed: perSecond(grid, series, series.errCount),
      bytes: byteLines(grid, series),
    };
  }, [series, users, range.from, range.until, resolution]);
  const shared = {
    seconds: charts.grid.seconds,
    formatTime: props.formatTime,
    marks: props.marks,
    onZoom: props.onZoom,
    onZoomOut: props.onZoomOut,
  };
  return (
    <div class="charts">
      <TimeChart
        {...shared}
        title="Response time"
        height={222}
        lines={charts.times}
        formatValue={timeText}
        hasTimeAxis={false}
        isLogarithmic={isLogarithmic}
      />
      <h2>Requests/s</h2>
      <TimeChart
        {...shared}
        title="Requests per second"
        height={100}
        lines={charts.requests}
        formatValue={rate}
        hasTimeAxis={false}
        drawOver={(chart) => drawFailed(chart, charts.failed, charts.requests[0]?.values ?? [])}
      />
      <h2>KB/s</h2>
      <TimeChart
        {...shared}
        title="KiB received per second"
        height={92}
        lines={charts.bytes}
        formatValue={rate}
        hasTimeAxis={true}
      />
    </div>
  );
}

function timeText(seconds: number): string {
  const { digits, unit } = duration(seconds);
  return seconds === 0 ? "0" : `${digits} ${unit}`;
}

function timeLines(grid: Grid, series: Series): ChartLine[] {
  const percentile = (name: string): Values =>
    valuesOn(grid, series, (point) => series.percentiles[name]?.[point] ?? 0);
  return [
    { name: "p99", values: percentile("p99"), color: "--p99" },
    { name: "p95", values: percentile("p95"), color: "--p95", width: 1.75 },
    {
      name: "average",
      values: valuesOn(grid, series, (point) => series.avgLoadTime[point] ?? 0),
      color: "--avg",
      dash: [4, 3],
    },
    { name: "p50", values: percentile("p50"), color: "--p50" },
  ];
}

function requestLines(grid: Grid, series: Series, users: Users): ChartLine[] {
  const requests: ChartLine = {
    name: "requests",
    values: perSecond(grid, series, series.count),
    color: "--area-edge",
    fill: "--area",
  };
  if (users.length === 0) return [requests];
  const most = users.reduce((largest, [, number]) => Math.max(largest, number), 0);
  const line = { values: usersOn(grid, users), color: "--users", width: 1, scale: "own" } as const;
  return [requests, { name: `users (at most ${count(most)})`, ...line }];
}

function byteLines(grid: Grid, series: Series): ChartLine[] {
  const kibibytes = series.receivedBytes.map((bytes) => bytes / 1024);
  const values = perSecond(grid, series, kibibytes);
  return [{ name: "received", values, color: "--area-edge", fill: "--area" }];
}

function perSecond(grid: Grid, series: Series, column: readonly number[]): Values {
  return valuesOn(grid, series, (point, seconds) => (column[point] ?? 0) / seconds);
}

/** The number that holds at the begin of each window. */
function usersOn(grid: Grid, users: Users): Values {
  let next = 0;
  let number: number | null = null;
  return grid.seconds.map((second) => {
    for (; next < users.length && (users[next]?.[0] ?? 0) <= second; next++) {
      number = users[next]?.[1] ?? null;
    }
    return number;
  });
}

/** The failed part hangs from the top edge, true to scale but never too small to be seen. */
function drawFailed(chart: uPlot, failed: Values, requests: Values): void {
  const { ctx, bbox } = chart;
  const seconds = chart.data[0];
  ctx.save();
  ctx.fillStyle = color("--err");
  for (const [index, value] of failed.entries()) {
    const all = requests[index];
    if (!value || all === null || all === undefined) continue;
    const left = Math.max(bbox.left, chart.valToPos(seconds[index] ?? 0, "x", true));
    const right = chart.valToPos(seconds[index + 1] ?? 0, "x", true);
    const top = chart.valToPos(all, "y", true);
    const height = chart.valToPos(all - value, "y", true) - top;
    ctx.fillRect(
      left,
      top,
      Math.max(right - left, 2 * devicePixelRatio),
      Math.max(height, 1.5 * devicePixelRatio),
    );
  }
  ctx.restore();
}
