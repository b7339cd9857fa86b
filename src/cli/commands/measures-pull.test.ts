import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { measuredValues } from "../../../test/support/measured-values.ts";
import { createTestServer } from "../../../test/support/test-server.ts";
import { ALL_SECONDS } from "../../model/columns.ts";

const START = 1_795_690_920;

/** What the stand-in for a Prometheus was asked, and what it answers. */
let asked: URLSearchParams[] = [];
let authorizations: (string | undefined)[] = [];
let shift = 0;

/** A value per step and instance; without one at every tenth second. */
function answerTo(form: URLSearchParams): object {
  const [from, until, step] = ["start", "end", "step"].map((name) => Number(form.get(name)));
  const seconds: number[] = [];
  for (let at = from ?? 0; at <= (until ?? 0); at += step ?? 1) seconds.push(at);
  if (form.get("query") === "none") return { resultType: "matrix", result: [] };
  if (form.get("query") === "waits") {
    const histograms = seconds.map((second, at) => [
      second,
      { count: `${4 * at}`, sum: `${6 * at}`, buckets: [[0, "1", "2", `${4 * at}`]] },
    ]);
    return { resultType: "matrix", result: [{ metric: {}, histograms }] };
  }
  const name = form.get("query")?.startsWith("node_") ? form.get("query") : undefined;
  const result = ["a", "b"].map((instance, index) => ({
    metric: { ...(name && { __name__: name }), instance },
    values: seconds.map((at) => [at, at % 10 === 0 ? "NaN" : `${at - START + index + shift}.5`]),
  }));
  return { resultType: "matrix", result };
}

const prometheus = createServer(async (request, response) => {
  authorizations.push(request.headers.authorization);
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  if (pathname.endsWith("/moved/api/v1/query_range")) {
    response.writeHead(307, { location: "/api/v1/query_range" }).end();
    return;
  }
  if (pathname.endsWith("/metadata")) {
    const metric = searchParams.get("metric") ?? "";
    const type = metric === "node_forks" ? "counter" : "gauge";
    response.end(JSON.stringify({ status: "success", data: { [metric]: [{ type }] } }));
    return;
  }
  const form = new URLSearchParams(await text(request));
  asked.push(form);
  if (form.get("query") === "bad(") {
    const error = { status: "error", errorType: "bad_data", error: "parse error: unclosed" };
    response.writeHead(400).end(JSON.stringify(error));
    return;
  }
  response.end(JSON.stringify({ status: "success", data: answerTo(form) }));
}).listen(0, "127.0.0.1");
await once(prometheus, "listening");
const address = `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}`;

const world = await createTestServer();
const program = createFakeProgram({ ...world.store, close: async () => {} });
const writeKey = await world.makeKey("read", "write");
const server = ["--url", await world.server.listen(), "--key", writeKey];
await world.store.loadTests.create(loadTest("pulled"));
const requests = [0, 29].map((second) => sample("GET /", START + second));
await world.store.points.append(batchOf(requests, { loadTestId: "pulled" }));
afterAll(async () => {
  prometheus.close();
  await world.server.close();
});

beforeEach(() => {
  asked = [];
  authorizations = [];
  shift = 0;
});

async function pull(...words: readonly string[]) {
  const environment = { TACHOGRAPH_PROMETHEUS_TOKEN: "s3cret" };
  const command = ["measures", "pull", "--prometheus", address, "pulled", ...words];
  const { exitCode, out, error } = await program.run(command, "", environment);
  return { exitCode, out, error };
}

async function valuesOf(name: string) {
  const snapshot = await world.store.points.snapshot("pulled");
  const { series } = (await snapshot?.measureIndex()) ?? { series: [] };
  const own = series.filter((each) => each.name === name);
  const tables = await Array.fromAsync(snapshot?.measures(own, ALL_SECONDS) ?? []);
  snapshot?.release();
  return tables.flatMap((table) => measuredValues(table));
}

test.each([
  ["a store", []],
  ["a server", server],
])("values of the run's time are gauges as they are, in %s", async (_, place) => {
  const query = `cpu=avg by (instance) (up{job="a"})`;
  const { exitCode, out } = await pull("--query", query, ...place);
  // 30 seconds of two instances, without the three that are NaN.
  expect({ exitCode, out: out.replace(", as before", "") }).toEqual({
    exitCode: 0,
    out: "cpu: 54 values of 2 series\n",
  });
  expect(asked.map((form) => Object.fromEntries(form))).toEqual([
    {
      query: `avg by (instance) (up{job="a"})`,
      start: `${START}`,
      end: `${START + 29}`,
      step: "1",
    },
  ]);
  expect(authorizations).toEqual(["Bearer s3cret"]);
  const values = await valuesOf("cpu");
  expect(values).toHaveLength(54);
  expect(
    values.find(({ tags, second }) => tags["instance"] === "b" && second === START + 7),
  ).toEqual({
    name: "cpu",
    unit: "",
    kind: "gauge",
    tags: { instance: "b" },
    second: START + 7,
    count: 1,
    sum: 8.5,
    last: 8.5,
  });
});

test("pulled again, nothing changes; other values replace those of before", async () => {
  await pull("--query", "again=up");
  expect((await pull("--query", "again=up")).out).toBe("again: 54 values of 2 series, as before\n");
  expect(await valuesOf("again")).toHaveLength(54);
  shift = 100;
  await pull("--query", "again=up", "--step", "3s");
  const values = await valuesOf("again");
  expect(values.map(({ count }) => count)).toEqual(values.map(() => 1));
  expect(values[0]).toMatchObject({ second: START + 3, last: 103.5 });
});

test("a long range is asked in parts", async () => {
  const until = START + 12_000;
  await pull("--query", "long=up", "--from", `${START}`, "--until", `${until}`);
  const spans = asked.map((form) => Number(form.get("end")) - Number(form.get("start")));
  expect(Math.max(...spans)).toBeLessThanOrEqual(11_000);
  // A NaN in ten.
  expect(await valuesOf("long")).toHaveLength(2 * 10_800);
});

test("the metric names what has no name, and its type says that it is a counter", async () => {
  const { out } = await pull("--query", "node_load1", "--query", "forks=node_forks");
  expect(out).toBe("node_load1: 54 values of 2 series\nforks_total: 54 values of 2 series\n");
});

test("native histograms are distributions of what was added", async () => {
  await pull("--query", "waits=waits");
  const values = await valuesOf("waits");
  expect(values).toHaveLength(29);
  expect(values[0]).toMatchObject({ kind: "distribution", count: 4, sum: 6, second: START + 1 });
});

test("queries may be in a file, and one without a result is told", async () => {
  const file = path.join(tmpdir(), `queries-${process.pid}.txt`);
  writeFileSync(file, "# servers\nfile=up\n\nempty=none\n");
  const { exitCode, out } = await pull("--queries", file);
  expect(out).toBe("file: 54 values of 2 series\nnone: no series\n");
  expect(exitCode).toBe(3);
});

test.each([
  [
    "a query that Prometheus refuses",
    ["--query", "a=bad("],
    /got status 400: parse error: unclosed/,
  ],
  [
    "two queries of one name",
    ["--query", "a=up", "--query", "a=node_load1"],
    /two queries are named a: one would replace the other/,
  ],
  ["a result without a name", ["--query", "sum(up)"], /has no name: want NAME=QUERY/],
  ["no query", [], /want a query/],
  [
    "a redirect",
    ["--query", "a=up", "--prometheus", `${address}/moved`],
    /cannot query http.*redirect/,
  ],
  [
    "a password in the URL",
    ["--query", "a=up", "--prometheus", "http://me:pass@localhost"],
    /without a query and a password/,
  ],
])("%s is an error, which shows no credentials", async (_, words, message) => {
  const { exitCode, out, error } = await pull(...words);
  expect(exitCode).toBeGreaterThan(0);
  expect(error).toMatch(message);
  expect(error + out).not.toMatch(/s3cret|pass@/);
});
