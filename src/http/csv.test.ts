import { parse } from "csv-parse/sync";
import { afterAll, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { measured, seriesWith } from "../../test/support/measures.ts";
import { measureTable } from "../../test/support/plain-measures.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const FORMULA = `=HYPERLINK("http://a.example","x")`;

/** By hand: `a` has 10, 20 and 30 ms, and its last request fails; the formula has 40 ms, in the second between. */
const world = await createTestServer({
  samples: [
    sample("a", 100, 10_000),
    sample("a", 100, 20_000),
    { ...sample("a", 102, 30_000), failed: true },
    sample(FORMULA, 101, 40_000),
  ],
});
afterAll(() => world.server.close());

async function get(path: string, accept: string) {
  return world.ask(path, { headers: { accept } });
}

async function rowsOf(path: string): Promise<Record<string, string>[]> {
  const answer = await get(path, "text/csv");
  expect(answer).toMatchObject({
    statusCode: 200,
    headers: { "content-type": "text/csv; charset=utf-8" },
  });
  expect(answer.headers.vary).toContain("Accept,");
  return parse(answer.body, { columns: true });
}

const PATH = "/Api/LoadTests/run";

test("the summary has a row for all endpoints and for each, without formulas", async () => {
  expect(await rowsOf(`${PATH}/Summary?percent=50`)).toMatchObject([
    { label: "(all)", count: "4", errCount: "1", avgLoadTime: "0.025", "percentiles.p50": "0.02" },
    { label: `'${FORMULA}`, count: "1", errCount: "0", avgLoadTime: "0.04", apdex: "" },
    { label: "a", count: "3", errRate: "0.333333", avgLoadTime: "0.02", maxLoadTime: "0.03" },
  ]);
});

test("a series has a row for each endpoint and second", async () => {
  expect(await rowsOf(`${PATH}/Percentiles?percent=99`)).toMatchObject([
    { label: `'${FORMULA}`, labels: "101", count: "1", "percentiles.p99": "0.04" },
    { label: "a", labels: "100", count: "2", errCount: "0", "percentiles.p99": "0.02" },
    { label: "a", labels: "102", count: "1", errCount: "1", "percentiles.p99": "0.03" },
  ]);
});

test("failures have a row for each kind", async () => {
  const [row, ...others] = await rowsOf(`${PATH}/Failures`);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ label: "a", errCount: "1", withoutKind: "1", code: "", count: "" });
});

test("a comparison has its columns by figure and side", async () => {
  const rows = await rowsOf(`${PATH}/Compare?base=run`);
  expect(rows.map(({ label }) => label)).toEqual(expect.arrayContaining(["(all)", "a"]));
  expect(rows[0]).toMatchObject({ verdict: "tooFew", "count.base": "4", "p95.value": "0.04" });
});

test("a trend has a row for each endpoint and load test", async () => {
  await world.store.loadTests.create({ ...loadTest("later"), name: "name of run" });
  await world.store.points.append(batchOf([sample("b", 900)], { loadTestId: "later" }));
  expect(await rowsOf("/Api/Trend?name=name+of+run")).toMatchObject([
    { label: "(all)", loadTestId: "run", startedAt: "100", count: "4" },
    { label: "(all)", loadTestId: "later", startedAt: "900", count: "1" },
    { label: `'${FORMULA}`, loadTestId: "run", count: "1" },
    { label: `'${FORMULA}`, loadTestId: "later", p95: "" },
    { label: "a", loadTestId: "run", count: "3" },
    { label: "a", loadTestId: "later" },
    { label: "b", loadTestId: "run" },
    { label: "b", loadTestId: "later", count: "1" },
  ]);
});

/** A line of Telegraf. */
function cpu(second: number, value: number): string {
  return `cpu,host=a usage=${value} ${second}000000000\n`;
}

test("measures and their series have rows, with negative numbers as they are", async () => {
  const key = await world.makeKey("write");
  const sent = await world.ask("/write?db=run", {
    method: "POST",
    key,
    payload: cpu(1_700_000_000, -10) + cpu(1_700_000_001, 30),
  });
  expect(sent.statusCode).toBe(204);
  expect(await rowsOf(`${PATH}/Measures`)).toMatchObject([
    { name: "cpu.usage", tags: '{"host":"a"}', count: "2", mean: "10", min: "-10", p95: "" },
  ]);
  expect(await rowsOf(`${PATH}/MeasureSeries?measure=cpu.usage`)).toMatchObject([
    { name: "cpu.usage", seconds: "1700000000", mean: "-10" },
    { name: "cpu.usage", seconds: "1700000001", mean: "30" },
  ]);
});

// Of one value, 5 s, each percentile is that value, within 1 %.
test("chosen percentiles of distributions have columns behind measures of another kind", async () => {
  await world.store.loadTests.create(loadTest("kinds"));
  const measures = measureTable([
    measured(900, 1, seriesWith({ name: "cpu", kind: "gauge" })),
    measured(900, 5, seriesWith({ name: "dns", unit: "s" })),
  ]);
  const batch = { ...batchOf([sample("a", 900)], { loadTestId: "kinds" }), measures };
  await world.store.points.append(batch);
  const rows = await rowsOf("/Api/LoadTests/kinds/Measures?percent=75,99.5");
  expect(rows).toMatchObject([
    { name: "cpu", "percentiles.p75": "", "percentiles.p99.5": "" },
    { name: "dns" },
  ]);
  expect(Number(rows[1]?.["percentiles.p75"])).toBeCloseTo(5, 1);
  expect(Number(rows[1]?.["percentiles.p99.5"])).toBeCloseTo(5, 1);
});

test("the list has all pages, or as many rows as were asked for", async () => {
  for (let at = 0; at < 150; at++) await world.store.loadTests.create(loadTest(`many-${at}`));
  const rows = await rowsOf("/Api/LoadTests?search=many-");
  expect(new Set(rows.map(({ id }) => id)).size).toBe(150);
  expect(await rowsOf("/Api/LoadTests?search=many-&limit=7")).toHaveLength(7);
});

test("chosen runs are rows in their order, with percentiles where these are computed", async () => {
  const before = await rowsOf("/Api/LoadTests?runs=run");
  expect(before).toMatchObject([{ id: "run", requests: "4", p95: "" }]);
  // A search by percentiles computes them.
  await get("/Api/LoadTests?search=p95%3E1ms", "application/json");
  const rows = await rowsOf("/Api/LoadTests?runs=many-3,run,gone,run");
  expect(rows.map(({ id }) => id)).toEqual(["many-3", "run"]);
  // Of 10 or 20, 20, 30 and 40 ms.
  expect(rows[1]).toMatchObject({ p50: "0.02", p95: "0.04", p99: "0.04", avgLoadTime: "0.025" });
  const many = Array.from({ length: 1001 }, (_, at) => at).join();
  expect((await get(`/Api/LoadTests?runs=${many}`, "text/csv")).statusCode).toBe(400);
});

test.each([
  [`${PATH}/Summary`, "*/*"],
  [`${PATH}/Summary`, "application/json, text/csv"],
  [`${PATH}/Summary`, "text/csv;q=0.5, application/json"],
  [PATH, "text/csv"],
  ["/Api/Metrics?loadTestId=run&all=true&format=csv", "text/csv"],
])("%s with Accept: %s is JSON", async (path, accept) => {
  const answer = await get(path, accept);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
});
