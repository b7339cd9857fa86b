/**
 * Sources without individual response times: unknown values are not numbers, and values from the tool are
 * marked.
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../support/fake-program.ts";
import { FIXTURE_FOLDER } from "./fixtures.ts";

async function imported(source: string) {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "run"], source);
  const json = async (...words: string[]) => JSON.parse((await program.run(words)).out);
  const { overall } = await json("summary", "run", "--json");
  const check = (limit: string) => program.run(["check", "run", "--fail-if", limit]);
  return { overall, check, json };
}

test("Artillery without any response: requests and failures, and no times", async () => {
  const file = path.join(FIXTURE_FOLDER, "artillery/all-timeouts.json");
  const { overall, check, json } = await imported(readFileSync(file, "utf8"));
  const unknown = { avgLoadTime: null, minLoadTime: null, maxLoadTime: null };
  const percentiles = { p50: null, p90: null, p95: null, p99: null, p999: null };
  expect(overall).toMatchObject({
    count: 30,
    errCount: 30,
    untimedCount: 30,
    ...unknown,
    ...percentiles,
  });
  expect((await check("p95 > 1ms")).exitCode).toBe(4);
  expect((await check("avg > 1ms")).exitCode).toBe(4);
  const [{ data }] = await json("metrics", "run", "--filter", "All", "--format", "csv");
  expect(data[1]).toEqual(["1790000000", "0", "30", "0", "0", "30", "0"]);
});

test("Artillery: percentiles of the run are those of its aggregate", async () => {
  const window = (second: number, p95: number) => ({
    period: String(second * 1000),
    counters: { "http.codes.200": 8 },
    summaries: { "http.response_time": times(5, p95) },
  });
  const { overall, check } = await imported(
    JSON.stringify({
      aggregate: {
        counters: { "http.codes.200": 16 },
        summaries: { "http.response_time": { ...times(8.9, 42.5), count: 16 } },
      },
      intermediate: [window(1_790_000_000, 20), window(1_790_000_010, 80)],
    }),
  );
  expect(overall).toMatchObject({
    count: 16,
    avgLoadTime: 0.01,
    minLoadTime: 0.001,
    maxLoadTime: 0.09,
    p50: 0.0089,
    p90: null,
    p95: 0.0425,
    percentileOrigin: "reported",
  });
  expect((await check("p95 > 42.6ms")).exitCode).toBe(0);
  expect((await check("p95 > 42.4ms")).exitCode).toBe(4);
});

const HEADER =
  "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,100%,Total Request Count,Total Failure Count,Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,Total Average Content Size";

/** Two ticks: 10 requests of 20 ms on average, then 20 of 15 ms; the last p95 is 48 ms. `firstMax`: of the run at the first. */
const history = (names: readonly string[], firstMax: string): string =>
  [
    HEADER,
    ...[
      [1_790_000_000, "9,30,31", 10, "20.0", firstMax],
      [1_790_000_001, "9,48,51", 20, "15.0", "51.0"],
    ].flatMap(([second, percentiles, count, average, max]) =>
      names.map(
        (name) =>
          `${second},2,${name},1.0,0.0,${percentiles},${count},0,9,${average},4.0,${max},100`,
      ),
    ),
    "",
  ].join("\r\n");

test("Locust without full history: the percentiles of the last row are those of the run", async () => {
  const { overall, check } = await imported(history([",Aggregated"], "31.0"));
  const figures = { count: 20, avgLoadTime: 0.015, p50: 0.009, p95: 0.048, p99: null };
  expect(overall).toMatchObject({
    ...figures,
    minLoadTime: 0.004,
    maxLoadTime: 0.051,
    percentileOrigin: "reported",
  });
  expect((await check("p95 > 40ms")).exitCode).toBe(4);
});

test("Locust with full history: percentiles of the last seconds, and none of the run", async () => {
  const { overall, check } = await imported(history(["GET,/", ",Aggregated"], "51.0"));
  const figures = {
    count: 20,
    avgLoadTime: 0.015,
    p50: null,
    p95: null,
    percentileOrigin: "unknown",
  };
  expect(overall).toMatchObject({ ...figures, minLoadTime: 0.004, maxLoadTime: 0.051 });
  const checked = await check("p95 > 40ms");
  expect(checked.exitCode).toBe(4);
  expect(checked.out).not.toContain("26 ms");
});

/** Artillery's response times of a window. */
function times(p50: number, p95: number) {
  return { min: 1, max: 90, mean: 10, count: 8, p50, p95 };
}

test("sizes whose sum is too large to be exact leave the other figures known", async () => {
  const rows = Array.from({ length: 12 }, (_, at) => `${1_790_000_000 + at},/,5,900000000000000`);
  const { overall } = await imported(
    ["timestamp,label,elapsedMs,receivedBytes", ...rows, ""].join("\n"),
  );
  expect(overall).toMatchObject({
    count: 12,
    avgLoadTime: 0.005,
    receivedBytes: null,
    downloadSize: 900_000_000_000_000,
  });
});

// hey records seconds since its start only.
test("without a clock, rates are unknown, and no threshold on them is evaluated", async () => {
  const { overall, check } = await imported(
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n" +
      "0.0100,0,0,0,0,0,200,0.0001\n",
  );
  expect(overall).toMatchObject({ count: 1, range: 0, reqPerSec: null });
  expect((await check("throughput < 1/s")).exitCode).toBe(4);
});
