/**
 * Compares imports of the logs of Locust, Goose and Taurus with the separate report files of these tools.
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { figuresOfEndpoint } from "./figures.ts";
import { FIXTURE_FOLDER, readFixture } from "./fixtures.ts";
import { importAndRead, type Imported, type ImportedEndpoint } from "./import-and-read.ts";

type Row = Readonly<Record<string, string>>;

function rowsOf(file: string): Row[] {
  return parse(Buffer.from(readFixture(file)), { columns: true });
}

function textOf(file: string): string {
  return Buffer.from(readFixture(file)).toString();
}

function bytesOf({ items }: ImportedEndpoint): number {
  const { overview } = items.xy.data as { overview: Record<string, string> };
  return Number(overview["downloadSize"]) * Number(overview["count"]);
}

/** Failed requests of an endpoint, by the key that `keyOf` returns for their kind. */
function failuresBy(
  { failures }: ImportedEndpoint,
  keyOf: (failure: ImportedEndpoint["failures"][number]) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const failure of failures) {
    const key = keyOf(failure);
    sums.set(key, (sums.get(key) ?? 0) + failure.requests);
  }
  return sums;
}

const LOCUST = "locust/gen-locust-2.47.0";

// The log has two decimals of a millisecond; the history has full precision.
test.each([
  { log: `${LOCUST}-request-log_requests.csv`, stats: "request-log", toleranceMs: 0.0051 },
  { log: `${LOCUST}-request-log_stats_history.csv`, stats: "request-log", toleranceMs: 0.0011 },
  { log: `${LOCUST}-full-history_stats_history.csv`, stats: "full-history", toleranceMs: 0.0011 },
  { log: `${LOCUST}-distributed_stats_history.csv`, stats: "distributed", toleranceMs: 0.0011 },
  { log: `${LOCUST}-no-full-history_stats_history.csv`, stats: "no-full", toleranceMs: 0.0011 },
])("$log equals Locust's own statistics", async ({ log, stats, toleranceMs }) => {
  const name = stats === "no-full" ? "no-full-history" : stats;
  const { endpoints } = await importAndRead(readFixture(log));
  const reported = rowsOf(`${LOCUST}-${name}_stats.csv`).filter(
    (row) => (row["Name"] === "Aggregated") === (stats === "no-full"),
  );
  const labels = reported.map((row) => `${row["Type"]} ${row["Name"]}`.trim());
  expect(endpoints.map(({ label }) => label).toSorted()).toEqual(labels.toSorted());
  for (const [index, row] of reported.entries()) {
    const endpoint = endpoints.find(({ label }) => label === labels[index]);
    if (endpoint === undefined) throw new Error(`BUG: no ${labels[index]}`);
    const { count, errors, ...times } = figuresOfEndpoint(endpoint);
    expect({ count, errors }).toEqual({
      count: Number(row["Request Count"]),
      errors: Number(row["Failure Count"]),
    });
    const off = [
      times.avgMs - Number(row["Average Response Time"]),
      times.minMs - Number(row["Min Response Time"]),
      times.maxMs - Number(row["Max Response Time"]),
    ].map(Math.abs);
    expect(Math.max(...off)).toBeLessThan(toleranceMs);
    const bytes = Number(row["Average Content Size"]) * count;
    expect(Math.abs(bytesOf(endpoint) - bytes)).toBeLessThan(0.01);
  }
});

test("only rows that one of three processes wrote completely remain", async () => {
  const file = `${LOCUST}-request-log-distributed_requests.csv`;
  const { endpoints, outcome } = await importAndRead(readFixture(file));
  // A complete row is on one line; only one name has a line break.
  const whole = /^\d{10}(?:\.\d{1,6})?,(GET|POST),([^,\n]*|"[^"]*"),[\d.]+,\d+,\d+,[^,\n]*\r$/gm;
  const named =
    /^\d{10}\.\d{1,6},(POST),"(Корзина) ""A, B""\nстрока 2",[\d.]+,\d+,\d+,[^,\n]*\r$/gm;
  const quoted = /^\d{10}\.\d{1,6},GET,\/unicode[^,]*,[\d.]+,33,200,"тело, ""не то""\n[^"]*"\r$/gm;
  const found = [whole, named, quoted].map((rule) => [...textOf(file).matchAll(rule)].length);
  expect(outcome.recorded).toBeLessThanOrEqual(found.reduce((sum, count) => sum + count, 0));
  expect(endpoints.map(({ label }) => label).filter((label) => /\d{9}/.test(label))).toEqual([]);
});

interface GooseReport {
  readonly requestLog: Record<string, { count: number; errors: number; sumMs: number }>;
}

test.each(["csv", "json"])(
  "Goose's %s log equals the requests sent and its error log",
  async (form) => {
    const stem = `goose/gen-goose-0.19.0-${form}`;
    const { endpoints } = await importAndRead(readFixture(`${stem}-requests.${form}`));
    const report = path.join(FIXTURE_FOLDER, `${stem}.expected.json`);
    const { requestLog } = JSON.parse(readFileSync(report, "utf8")) as GooseReport;
    expect(endpoints.map(({ label }) => label).toSorted()).toEqual(
      Object.keys(requestLog).toSorted(),
    );
    for (const endpoint of endpoints) {
      const want = requestLog[endpoint.label];
      const { count, errors, avgMs } = figuresOfEndpoint(endpoint);
      expect({ count, errors }).toEqual({ count: want?.count, errors: want?.errors });
      expect(Math.abs(avgMs * count - (want?.sumMs ?? 0))).toBeLessThan(0.001 * count);
    }
    const failures = endpoints.flatMap((endpoint) => [
      ...failuresBy(endpoint, ({ code, message }) => `${code || "0"} ${message}`),
    ]);
    expect(new Map(failures)).toEqual(gooseErrors(`${stem}-errors.${form}`, form));
  },
);

/** The error log; failures added by `set_failure` are in no request log. */
function gooseErrors(file: string, form: string): Map<string, number> {
  const rows =
    form === "csv"
      ? rowsOf(file)
      : textOf(file)
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Row);
  const sums = new Map<string, number>();
  for (const { status_code: status, error } of rows) {
    if (String(status) === "200") continue;
    const key = `${status} ${error}`;
    sums.set(key, (sums.get(key) ?? 0) + 1);
  }
  return sums;
}

const TAURUS = "taurus/gen-taurus-1.17.2-apiritif";
/** Codes that the loaded server or Apiritif uses for failures. */
const FAILED_CODES = ["404", "500", "503", "999"];

test("Apiritif's log equals the final statistics of Taurus", async () => {
  const { endpoints, users }: Imported = await importAndRead(readFixture(`${TAURUS}-results.csv`));
  const reported = rowsOf(`${TAURUS}-final-stats.csv`).filter(({ label }) => label !== "");
  expect(endpoints).toHaveLength(reported.length);
  for (const row of reported) {
    const endpoint = endpoints.find(({ label }) => label === row["label"]);
    if (endpoint === undefined) throw new Error(`BUG: no ${row["label"]}`);
    const { count, errors, avgMs, minMs, maxMs } = figuresOfEndpoint(endpoint);
    expect({ count, errors, minMs, maxMs, bytes: Math.round(bytesOf(endpoint)) }).toEqual({
      count: Number(row["succ"]) + Number(row["fail"]),
      errors: Number(row["fail"]),
      minMs: Math.round(Number(row["perc_0.0"]) * 1000),
      maxMs: Math.round(Number(row["perc_100.0"]) * 1000),
      bytes: Number(row["bytes"]),
    });
    expect(Math.abs(avgMs / 1000 - Number(row["avg_rt"]))).toBeLessThan(0.00000501 + 1e-8);
    const codes = failuresBy(endpoint, ({ code }) => code);
    expect(FAILED_CODES.map((code) => codes.get(code) ?? 0)).toEqual(
      FAILED_CODES.map((code) => Number(row[`rc_${code}`])),
    );
  }
  expect(Math.max(...users.map(({ active }) => active))).toBe(3);
});
