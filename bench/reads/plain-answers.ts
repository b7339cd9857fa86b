/** Answers of `GET /Api/Metrics` made as anyone would make them: rows to objects, `JSON.stringify`. */

import { createHash } from "node:crypto";

/** endpoint, second, requests, elapsedMicros, receivedBytes, and the three of failed requests. */
export type Row = readonly number[];

export interface PlainOptions {
  /** By the number of the endpoint. */
  readonly labels: readonly string[];
  readonly format: string;
}

/** The whole answer; `rows` are sorted by endpoint and second, and there is at least one. */
export function plainAnswer(rows: readonly Row[], { labels, format }: PlainOptions): string {
  const items = rowsByEndpoint(rows).map((own) => {
    const label = labels[own[0]?.[0] as number] ?? "";
    const hash = createHash("sha1").update(label).digest("hex");
    return { hash, label, data: format === "csv" ? rowsOf(own) : seriesOf(own, format === "xy") };
  });
  return JSON.stringify(items);
}

const HEADER =
  "Timestamp,avgLoadTime,count,downloadSize,errAvgLoadTime,errCount,errDownloadSize".split(",");

function rowsByEndpoint(rows: readonly Row[]): readonly Row[][] {
  const groups: Row[][] = [];
  let endpoint: number | undefined;
  for (const row of rows) {
    if (row[0] !== endpoint) groups.push([]);
    endpoint = row[0];
    groups.at(-1)?.push(row);
  }
  return groups;
}

function rowsOf(rows: readonly Row[]): string[][] {
  return [HEADER, ...rows.map((row) => cellsOf(row).map(String))];
}

/** The columns of `format=csv`, as numbers. */
export function cellsOf([
  ,
  second,
  n,
  elapsed,
  bytes,
  failed,
  failedElapsed,
  failedBytes,
]: Row): number[] {
  return [
    second as number,
    seconds(elapsed as number, n as number),
    n as number,
    quotient(bytes as number, n as number),
    seconds(failedElapsed as number, failed as number),
    failed as number,
    quotient(failedBytes as number, failed as number),
  ];
}

function seriesOf(rows: readonly Row[], isXy: boolean): object {
  const cells = rows.map((row) => cellsOf(row));
  const x = cells.map((row) => row[0] as number);
  const series: [string, (number | string)[]][] = [
    ["pageRespTimePerSec", cells.map((row) => row[1] as number)],
    ["pageReqPerSec", cells.map((row) => row[2] as number)],
    ["pageKbPerSec", rows.map((row) => quotient(row[4] as number, 1024))],
    ["pageErrRespTime", cells.map((row) => (isXy ? (row[4] as number) : String(row[4])))],
    ["pageErrCount", cells.map((row) => row[5] as number)],
    ["pageErrKb", rows.map((row) => quotient(row[7] as number, 1024))],
  ];
  const points = series.map(([name, values]) => {
    if (isXy) return [name, values.map((y, index) => ({ x: x[index], y }))] as const;
    return [name, Object.fromEntries(values.map((y, index) => [x[index], y]))] as const;
  });
  return { overview: overviewOf(rows), labels: x, ...Object.fromEntries(points) };
}

function overviewOf(rows: readonly Row[]): object {
  const sum = (column: number): number =>
    rows.reduce((total, row) => total + (row[column] as number), 0);
  const all = [0, 0, ...[2, 3, 4, 5, 6, 7].map((column) => sum(column))];
  const [, ...texts] = cellsOf(all).map(String);
  const [avgLoadTime, count, downloadSize, errAvgLoadTime, errCount, errDownloadSize] = texts;
  const failed = { errAvgLoadTime, errCount, errDownloadSize };
  const range = (rows.at(-1)?.[1] as number) - (rows[0]?.[1] as number) + 1;
  return { avgLoadTime, count, downloadSize, ...failed, range };
}

function seconds(micros: number, requests: number): number {
  return requests === 0 ? 0 : Math.round(micros / requests) / 1e6;
}

function quotient(value: number, by: number): number {
  return by === 0 ? 0 : Math.round((value / by) * 1e6) / 1e6;
}
