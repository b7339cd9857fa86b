/** Figures that follow from rows that are right: each was wrong once, and is worked out by hand from the file. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { LoadTestComparison } from "../../src/api/compare.ts";
import { compareSamples } from "../accuracy/compared-samples.ts";
import { simulatedRun } from "../accuracy/simulated-runs.ts";
import { createFakeProgram } from "../support/fake-program.ts";
import { createTestServer } from "../support/test-server.ts";

const FOLDER = path.join(import.meta.dirname, "../fixtures/derived-figures");

const fixture = (name: string): Buffer =>
  gunzipSync(readFileSync(path.join(FOLDER, `gen-${name}.gz`)));

async function open() {
  const world = await createTestServer();
  const key = { "X-Service-Auth": await world.makeKey("admin") };
  const send = async (
    url: string,
    payload: Buffer,
    more: Readonly<Record<string, string>> = {},
  ) => {
    const headers = { ...key, ...more };
    const answer = await world.server.inject({ method: "POST", url, payload, headers });
    expect(answer.statusCode).toBeLessThan(300);
  };
  const get = async <Answer>(url: string): Promise<Answer> => {
    const answer = await world.server.inject({ url: `/Api/LoadTests/${url}`, headers: key });
    expect(answer.statusCode).toBe(200);
    return answer.json<Answer>();
  };
  return { send, get };
}

test("half of the requests pass in 100 ms, half fail in 5 ms: the Apdex is 0.5", async () => {
  const { send, get } = await open();
  await send("/Api/LoadTests/a/Results?file=apdex.jtl", fixture("apdex.jtl"));
  const apdexOf = async (query: string) =>
    (await get<{ overall: { apdex: number } }>(`a/Summary?apdexMs=500${query}`)).overall.apdex;
  expect(await apdexOf("")).toBe(0.5);
  expect(await apdexOf("&outcome=failed")).toBe(0);
});

test("CPU is 99 for 60 s from second 35 of a minute on, then 20: of 10 s later it is 20", async () => {
  const { send, get } = await open();
  const file = "measure-range-requests.csv";
  await send(`/Api/LoadTests/w/Results?file=${file}`, fixture(file));
  await send("/write?db=w", fixture("measure-range.lp"));
  const start = 1_795_000_055;
  const range = `from=${start + 60}&until=${start + 70}`;
  const { measures } = await get<{ measures: object[] }>(`w/Measures?${range}`);
  expect(measures).toMatchObject([{ name: "cpu.usage", count: 10, mean: 20, max: 20 }]);
  const { series } = await get<{ series: object[] }>(
    `w/MeasureSeries?measure=cpu.usage&resolution=3600&${range}`,
  );
  expect(series).toMatchObject([{ count: [10], mean: [20], max: [20] }]);
});

test("the same CPU keeps limits once the first 60 s are left out", async () => {
  const program = createFakeProgram();
  for (const file of ["measure-range-requests.csv", "measure-range.lp"]) {
    await program.run(["import", "-", "--id", "w"], fixture(file).toString());
  }
  for (const limit of ["max > 90", "avg > 25"]) {
    const check = ["check", "w", "--fail-if", `measure cpu.usage: ${limit}`];
    expect((await program.run(check)).exitCode).toBe(4);
    expect((await program.run([...check, "--skip-start", "60s"])).exitCode).toBe(0);
  }
});

test("two requests a minute go on through the hour in which clocks are set back", async () => {
  const { send, get } = await open();
  const file = "dst-fallback.jtl";
  await send(`/Api/LoadTests/d/Results?file=${file}&timezone=Europe/Berlin`, fixture(file));
  const [all] = await get<{ labels: number[]; count: number[] }[]>(
    "d/Percentiles?merge=true&resolution=600",
  );
  const begin = Date.parse("2026-10-24T23:30:00Z") / 1000;
  expect(all?.labels).toEqual(Array.from({ length: 18 }, (_, at) => begin + 600 * at));
  expect(all?.count).toEqual(Array.from({ length: 18 }, () => 20));
});

test("totals of four workers that share their attributes add up", async () => {
  const { send, get } = await open();
  const lines = fixture("locust-4-workers.ndjson").toString().trim().split("\n");
  for (const line of lines) {
    const { contentType, body } = JSON.parse(line) as { contentType: string; body: string };
    const headers = { "X-Load-Test": "l", "Content-Type": contentType };
    await send("/v1/metrics", Buffer.from(body, "base64"), headers);
  }
  const { overall } = await get<{ overall: { count: number } }>("l/Summary");
  expect(overall.count).toBe(4869);
  const { measures } = await get<{ measures: object[] }>("l/Measures?measure=jobs");
  expect(measures).toMatchObject([{ kind: "counter", sum: 4869 }]);
});

interface Limited {
  readonly low: number;
  readonly high: number;
}

test("four servers of 50 ms and users who think for 1 s: at most 80/s, 95 % of it from 87 users on", async () => {
  const { send, get } = await open();
  const file = "capacity-mm4-ramp-to-120.jtl";
  await send(`/Api/LoadTests/c/Results?file=${file}`, fixture(file));
  const { peak } = await get<{ peak: { reqPerSec: Limited; load: Limited } }>("c/Capacity");
  for (const [{ low, high }, exact] of [
    [peak.reqPerSec, 80],
    [peak.load, 87],
  ] as const) {
    expect(low).toBeLessThanOrEqual(exact);
    expect(high).toBeGreaterThanOrEqual(exact);
  }
});

test("if all response times of a queue are 1.25 times as long, so is the shift", async () => {
  const { send, get } = await open();
  const base = fixture("shift-base.csv").toString();
  const slower = base.replaceAll(/,(\d+),/g, (_, micros) => `,${Math.round(1.25 * micros)},`);
  await send("/Api/LoadTests/b/Results?file=b.csv", Buffer.from(base));
  await send("/Api/LoadTests/s/Results?file=s.csv", Buffer.from(slower));
  type Row = { readonly shift: { readonly change: number } };
  const { overall, endpoints } = await get<{ overall: Row; endpoints: Row[] }>("s/Compare?base=b");
  expect(endpoints).toHaveLength(4);
  for (const { shift } of [overall, ...endpoints]) expect(shift.change).toBeCloseTo(0.25, 2);
});

const codesOf = ({ quality }: LoadTestComparison) => quality.value.map(({ code }) => code);

test("runs of 300 and 900 s that warm up for 20 s are unchanged without the first minute, and a remark says so", async () => {
  const shape = { requestsPerSecond: 30 };
  const base = simulatedRun("warm-up of 20 s", { ...shape, seconds: 300, seed: 1 });
  const later = simulatedRun("warm-up of 20 s", { ...shape, seconds: 900, seed: 2 });
  expect(codesOf(await compareSamples(base, later))).toEqual(["lengths-differ"]);
  const steady = await compareSamples(base, later, { skipStartSeconds: 60 });
  expect(steady.overall.verdict).toBe("unchanged");
  expect(codesOf(steady)).toEqual([]);
});
