/**
 * Holds an import against DuckDB's reading of the same file: a benchmark whose candidates come to
 * different results has failed.
 */

import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { runChild } from "../frame/child.ts";
import type { BenchContext } from "../frame/scenario.ts";
import { figure } from "../frame/targets.ts";
import { foundPeer } from "../peers/peer.ts";
import { duckdb } from "../peers/peers.ts";
import { labelsSql, PERCENTS, pointsSql, type SqlSource } from "./duckdb-sql.ts";
import type { FileToRead } from "./import-candidates.ts";
import { runProgram, TACHOGRAPH } from "./tachograph.ts";

/** A percentile comes from buckets whose middle is at most so far from any value in them. */
const PERCENTILE_ERROR = 0.001;

interface Check {
  readonly file: FileToRead;
  readonly source: SqlSource;
  readonly context: BenchContext;
}

/** Imports the file and compares; throws where anything differs. Answers what was compared. */
export async function checkImport(check: Check): Promise<string> {
  const state = duckdb.find();
  if (!state.isFound) return `not compared: ${state.reason}`;
  const data = mkdtempSync(path.join(check.context.scratch, "check-"));
  const words = ["import", check.file.path, "--id", "run", "--data", data];
  await runProgram(TACHOGRAPH, words);
  const points = await comparePoints(check, data);
  const labels = await compareLabels(check, data);
  rmSync(data, { recursive: true });
  return `${figure(points)} points and ${figure(labels)} labels equal DuckDB's`;
}

/**
 * Every cell of our csv, as text, with what follows from DuckDB's sums. Answers the points. All
 * labels have a slash.
 */
async function comparePoints({ source }: Check, data: string): Promise<number> {
  const asked = ["metrics", "run", "--filter", "/", "--format", "csv", "--data", data];
  const { out } = await runProgram(TACHOGRAPH, asked);
  const endpoints = JSON.parse(out) as { label: string; data: string[][] }[];
  const ours = endpoints.flatMap(({ label, data: rows }) =>
    rows.slice(1).map((row) => [label, ...row].join("\t")),
  );
  const theirs = (await rowsOf(pointsSql(source))).map((row) => {
    const [label = "", second = "", ...sums] = row;
    const [n, elapsed, bytes, failed, failedElapsed, failedBytes] = sums.map(BigInt) as Six;
    const all = [average(elapsed, n, 1_000_000n), String(n), average(bytes, n)];
    const bad = [average(failedElapsed, failed, 1_000_000n), failed, average(failedBytes, failed)];
    return [label, second, ...all, ...bad].join("\t");
  });
  compareLines(ours.toSorted(byBytes), theirs.toSorted(byBytes));
  return ours.length;
}

type Six = [bigint, bigint, bigint, bigint, bigint, bigint];

/** Of each label: counts and extremes exactly, percentiles within the width of a bucket. */
async function compareLabels({ source }: Check, data: string): Promise<number> {
  const { out } = await runProgram(TACHOGRAPH, ["summary", "run", "--json", "--data", data]);
  const { endpoints } = JSON.parse(out) as { endpoints: Endpoint[] };
  const ours = new Map(endpoints.map((endpoint) => [endpoint["label"], endpoint]));
  const rows = await rowsOf(labelsSql(source));
  for (const [label = "", ...numbers] of rows) {
    compareLabel(label, ours.get(label) ?? {}, numbers.map(Number));
  }
  if (rows.length !== ours.size) throw new Error(`${ours.size} labels are not ${rows.length}`);
  return rows.length;
}

type Endpoint = Readonly<Record<string, number | string>>;

function compareLabel(label: string, endpoint: Endpoint, numbers: readonly number[]): void {
  const [n = 0, failed = 0, least = 0, most = 0, ...percentiles] = numbers;
  const exact = { count: n, errCount: failed, minLoadTime: least / 1e6, maxLoadTime: most / 1e6 };
  const near = PERCENTS.map((percent, index) => [`p${percent}`, percentiles[index] ?? 0] as const);
  for (const [name, value] of Object.entries(exact)) {
    if (endpoint[name] === value) continue;
    throw new Error(`${name} of "${label}": ${endpoint[name]} is not DuckDB's ${value}`);
  }
  for (const [name, micros] of near) {
    const wanted = micros / 1e6;
    if (Math.abs(Number(endpoint[name]) - wanted) <= wanted * PERCENTILE_ERROR) continue;
    throw new Error(`${name} of "${label}": ${endpoint[name]} is not DuckDB's ${wanted}`);
  }
}

async function rowsOf(sql: string): Promise<string[][]> {
  const child = path.join(import.meta.dirname, "duckdb-child.ts");
  const words = [child, foundPeer(duckdb).path, sql, "rows"];
  const { out } = await runChild({ program: process.execPath, words });
  return out
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t"));
}

function compareLines(ours: readonly string[], theirs: readonly string[]): void {
  const at = ours.findIndex((line, index) => line !== theirs[index]);
  if (at >= 0) throw new Error(`"${ours[at]}" is not DuckDB's "${theirs[at]}"`);
  if (ours.length !== theirs.length) {
    throw new Error(`${ours.length} points are not DuckDB's ${theirs.length}`);
  }
}

/**
 * A quotient as docs/api.md writes it: at most six places, half away from zero, no zeros at the
 * end; 0 of nothing. `unit` divides it once more.
 */
function average(sum: bigint, count: bigint, unit = 1n): string {
  if (count === 0n) return "0";
  const divisor = count * unit;
  const millionths = (2n * sum * 1_000_000n + divisor) / (2n * divisor);
  const digits = String(millionths).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
}

function byBytes(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
