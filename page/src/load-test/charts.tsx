import { useMemo } from "preact/hooks";
import type { Heatmap, Series, Users } from "../api/figures.ts";
import { type Grid, gridOf, type Values, valuesOn } from "../charts/grid.ts";
import type { ChartLine } from "../charts/chart-line.ts";
import { TimeChart } from "../charts/time-chart.tsx";
import { endpointLines, type Statistic } from "./endpoint-lines.ts";
import { HeatmapChart } from "./heatmap-chart.tsx";
import { logTimeTexts, numberTexts, timeTexts } from "../format/axis-texts.ts";
import { count, duration, rate } from "../format/numbers.ts";

export interface ChartsProps {
  readonly series: Series;
  /** Series of the endpoints that are selected, where they have lines of their own. */
  readonly each: readonly Series[] | undefined;
  readonly hashes: readonly string[];
  readonly statistic: Statistic;
  readonly users: Users;
  /** Shown in the place of the lines of response times. */
  readonly heatmap: Heatmap | undefined;
  /** UNIX seconds, half open. */
  readonly range: { readonly from: number; readonly until: number };
  readonly resolution: number;
  readonly isLogarithmic: boolean;
  /** Seconds of findings, in their order. */
  readonly marks: readonly number[];
  /** Names of lines that are switched off. */
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  readonly formatTime: (second: number) => string;
  readonly onZoom: (from: number, until: number) => void;
  readonly onZoomOut: () => void;
}

/** Response time, requests and bytes of what is shown, over one time axis. */
export function Charts(props: ChartsProps) {
  const { series, each, hashes, statistic, users, range, resolution, isLogarithmic } = props;
  const charts = useMemo(() => {
    const grid = gridOf(range.from, range.until, resolution);
    return {
      grid,
      times:
        each === undefined ? timeLines(grid, series) : endpointLines(grid, each, hashes, statistic),
      requests: requestLines(grid, series, users),
      bytes: byteLines(grid, series),
    };
  }, [series, each, hashes, statistic, users, range.from, range.until, resolution]);
  const shared = {
    seconds: charts.grid.seconds,
    formatTime: props.formatTime,
    marks: props.marks,
    areNamesLong: each !== undefined && props.heatmap === undefined,
    hidden: props.hidden,
    onToggle: props.onToggle,
    onZoom: props.onZoom,
    onZoomOut: props.onZoomOut,
  };
  return (
    <div class="charts">
      {props.heatmap === undefined ? (
        <TimeChart
          {...shared}
          title="Response time"
          height={222}
          lines={charts.times}
          formatValue={timeText}
          axisTexts={isLogarithmic ? logTimeTexts : timeTexts}
          hasTimeAxis={false}
          hasMarkNumbers={true}
          isLogarithmic={isLogarithmic}
        />
      ) : (
        <HeatmapChart {...shared} heatmap={props.heatmap} series={series} />
      )}
      <h2>Requests/s</h2>
      <TimeChart
        {...shared}
        title="Requests per second"
        height={100}
        lines={charts.requests}
        formatValue={(value) => `${rate(value)} /s`}
        axisTexts={numberTexts}
        hasTimeAxis={false}
      />
      <h2>KB/s</h2>
      <TimeChart
        {...shared}
        title="KiB received per second"
        height={92}
        lines={charts.bytes}
        formatValue={(value) => `${rate(value)} KB/s`}
        axisTexts={numberTexts}
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
    { name: "p50", values: percentile("p50"), color: "--p50", textColor: "--p50-label" },
  ];
}

function requestLines(grid: Grid, series: Series, users: Users): ChartLine[] {
  const values = perSecond(grid, series, series.count);
  const requests: ChartLine = {
    name: "requests",
    values,
    color: "--area-edge",
    textColor: "--ink2",
    fill: "--area",
  };
  const failed: ChartLine = {
    name: "failed",
    values: perSecond(grid, series, series.errCount),
    color: "--err",
    hangsFrom: values,
  };
  if (users.length === 0) return [requests, failed];
  const most = users.reduce((largest, [, number]) => Math.max(largest, number), 0);
  const line: ChartLine = {
    name: "active users",
    endText: `${count(most)} user${most === 1 ? "" : "s"}`,
    values: usersOn(grid, users),
    color: "--users",
    textColor: "--ink3",
    width: 1,
    scale: "own",
  };
  return [requests, failed, line];
}

function byteLines(grid: Grid, series: Series): ChartLine[] {
  const kibibytes = series.receivedBytes.map((bytes) => bytes / 1024);
  const values = perSecond(grid, series, kibibytes);
  const look = { color: "--area-edge", textColor: "--ink2", fill: "--area" };
  return [{ name: "received", values, ...look }];
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
