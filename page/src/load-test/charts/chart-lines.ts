/** The lines of a load test's charts. */

import type { Band, BandEdge, Series, Users } from "../../api/figures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { type Grid, perSecond, type Values } from "../../charts/grid.ts";
import { count } from "../../format/numbers.ts";
import { type Peaks, peaksOn } from "../scope/use-peaks.ts";
import { type Statistic, statisticOn } from "../endpoints/endpoint-lines.ts";

/** Overall response times: percentiles share a hue, higher ones are stronger. */
export function timeLines(grid: Grid, series: Series): ChartLine[] {
  const line = (name: Statistic) => ({ name, values: statisticOn(grid, series, name) });
  return [
    { ...line("p99"), color: "--p99" },
    { ...line("p95"), color: "--p95", width: 1.75 },
    { ...line("average"), color: "--avg", dash: [4, 3] },
    { ...line("p50"), color: "--p50", textColor: "--p50-label" },
  ];
}

/** The highest second, or other short time, within each point, if it is known. */
export function peakLines(grid: Grid, peaks: Peaks | undefined, resolution: number): ChartLine[] {
  if (peaks === undefined) return [];
  const { seconds } = peaks;
  const name = `p99 of the highest ${seconds === 1 ? "second" : `${seconds} s`}`;
  const values = peaksOn(grid, peaks, resolution);
  return [{ name, endText: "", values, color: "--avg", width: 0.5, isHairline: true }];
}

/** One statistic of many endpoints: overall, and from the lowest to the highest. */
export function bandLines(
  grid: Grid,
  series: Series & { readonly band: Band },
  statistic: Statistic,
): ChartLine[] {
  const { lowest, highest } = series.band;
  const edge = (of: BandEdge): Values => statisticOn(grid, series, statistic, of);
  const look = { color: "--area-edge", fill: "--area", textColor: "--ink3", width: 1 };
  const name = "lowest to highest endpoint";
  return [
    { ...look, name, values: edge(highest), downTo: edge(lowest) },
    { name: statistic, values: statisticOn(grid, series, statistic), color: "--p95", width: 1.75 },
  ];
}

const AREA = { color: "--area-edge", textColor: "--ink2", fill: "--area" };

/** Requests per second, `of` something. */
export function requestLines(grid: Grid, series: Series, of: string | undefined): ChartLine[] {
  return [
    { ...AREA, name: "requests", values: perSecond(grid, series, series.count), ...endText(of) },
  ];
}

/** Bytes received per second. */
export function byteLines(grid: Grid, series: Series, of: string | undefined): ChartLine[] {
  const values = perSecond(grid, series, series.receivedBytes);
  return [{ ...AREA, name: "received", values, ...endText(of) }];
}

/** Active users of the whole run, on their own scale that labels only the maximum. */
export function userLines(grid: Grid, users: Users, isPart: boolean): ChartLine[] {
  if (users.length === 0) return [];
  const most = users.reduce((largest, [, number]) => Math.max(largest, number), 0);
  const line: ChartLine = {
    name: "active users",
    endText: `${count(most)} user${most === 1 ? "" : "s"}${isPart ? " in all" : ""}`,
    values: usersOn(grid, users),
    color: "--users",
    textColor: "--ink3",
    width: 1,
    scale: "own",
  };
  return [line];
}

function endText(text: string | undefined): { readonly endText?: string } {
  return text === undefined ? {} : { endText: text };
}

/**
 * The value at the start of each window; none where the range exceeds the data. Users are asked for less often than requests: while a run grows, what
 * seems to be their end is that of the answer.
 */
function usersOn(grid: Grid, users: Users): Values {
  const [end = Infinity, last = 0] = grid.isGrowing === true ? (users.at(-1) ?? []) : [];
  const answeredUntil = last === 0 ? end : Infinity;
  let next = 0;
  let number: number | null = null;
  return grid.seconds.map((second, index) => {
    for (; next < users.length && (users[next]?.[0] ?? 0) <= second; next++) {
      number = users[next]?.[1] ?? null;
    }
    const seconds = grid.lengths[Math.min(index, grid.lengths.length - 1)] ?? 0;
    return seconds > 0 && second < answeredUntil ? number : null;
  });
}
