import { describe, expect, test } from "vitest";
import { firstOf } from "../../test/support/anomalies.ts";
import { batchOf, collect, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import type { Role } from "../model/role.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Points } from "../store/store.ts";
import { compareLoadTests } from "../analysis/compare/compare-load-tests.ts";
import { ALL_ENDPOINTS, type EndpointSelection, hashOfLabel } from "./endpoint-selection.ts";
import { mergeFailureKinds } from "../query/merge-failure-kinds.ts";
import { openPercentiles, readDistribution } from "../query/read-percentiles.ts";
import { readFailures } from "../query/read-failures.ts";
import { readFindings } from "../analysis/findings/read-findings.ts";
import { readHeatmap } from "../query/read-heatmap.ts";
import { summarise } from "../query/open-summary.ts";
import { overallContents, overallEndpoints } from "./overall.ts";

const ROLES: Readonly<Record<string, Role>> = {
  "GET /cart": "request",
  "GET /cart-0": "subresult",
  "Buy a cart": "transaction",
  "POST /pay": "unclear",
};

/** In each of a hundred seconds ten rows of each label; of transactions all fail for a while. */
async function shop(roles: Readonly<Record<string, Role>> = ROLES, loadTestId = "run") {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest(loadTestId));
  await appendShop(store.points, roles, loadTestId);
  return store;
}

async function appendShop(
  points: Pick<Points, "append">,
  roles: Readonly<Record<string, Role>>,
  loadTestId: string,
): Promise<void> {
  const rows = Array.from({ length: 1000 }, (_, row) => 1000 + Math.floor(row / 10));
  const samples = Object.keys(roles).flatMap((label) =>
    rows.map((second) => {
      const failed = roles[label] === "transaction" && second >= 1050 && second < 1060;
      return { ...sample(label, second, roles[label] === "transaction" ? 9000 : 1000), failed };
    }),
  );
  await points.append({ ...batchOf(samples, { loadTestId }), roles: Object.values(roles) });
}

/** Requests that each operation finds in what it takes as one. */
async function requestsIn(points: Points, selection: EndpointSelection) {
  const query = { loadTestId: "run", selection, range: undefined };
  const summary = await summarise(points, { ...query, apdexMicros: undefined });
  const distribution = await readDistribution(points, query);
  const heatmap = await readHeatmap(points, { ...query, resolutionSeconds: 1 });
  const percentiles = await openPercentiles(points, {
    ...query,
    resolutionSeconds: 1,
    quantiles: [0.5],
    isMerged: true,
  });
  const [merged] = await collect(percentiles.series());
  percentiles.release();
  const steady = { ...query, skipStartSeconds: 0, skipEndSeconds: 0 };
  const { overall } = await compareLoadTests(points, { base: steady, later: steady });
  const { endpoints } = await readFailures(points, { ...query, isMerged: true });
  return {
    counts: new Set([
      summary.overall.count,
      distribution.figures.count,
      heatmap.cells.flat().reduce((sum, { requests }) => sum + requests, 0),
      merged?.sums.requests.reduce((sum, count) => sum + count, 0),
      overall.count.base,
      overall.count.value,
    ]),
    failures: new Set([summary.overall.errCount, (await mergeFailureKinds(endpoints, 1)).errCount]),
    hasBurst: firstOf(await readFindings(points, query), "burst") !== undefined,
  };
}

const byHash = (...labels: string[]): EndpointSelection => ({
  by: "hashes",
  hashes: labels.map(hashOfLabel),
});

describe("every operation aggregates the same requests", () => {
  test.each<[string, EndpointSelection, number, number]>([
    ["requests, and what is unclear", ALL_ENDPOINTS, 2000, 0],
    ["requests that a filter finds, without the rest", { by: "filter", filter: "cart" }, 1000, 0],
    [
      "a transaction where the filter finds nothing else",
      { by: "filter", filter: "Buy" },
      1000,
      100,
    ],
    ["a sub-result where the filter finds nothing else", { by: "filter", filter: "-0" }, 1000, 0],
    ["a transaction that was named", { by: "hash", hash: hashOfLabel("Buy a cart") }, 1000, 100],
    ["all that were named", byHash("Buy a cart", "GET /cart", "GET /cart-0"), 3000, 100],
    ["nothing", { by: "filter", filter: "?" }, 0, 0],
  ])("%s", async (_, selection, requests, failures) => {
    const { points } = await shop();
    expect(await requestsIn(points, selection)).toEqual({
      counts: new Set([requests]),
      failures: new Set([failures]),
      hasBurst: failures > 0,
    });
  });
});

const SUMMARY = { loadTestId: "run", range: undefined, apdexMicros: undefined };

test("rows state their role, and a response what its total includes", async () => {
  const { points } = await shop();
  const all = await summarise(points, { ...SUMMARY, selection: ALL_ENDPOINTS });
  expect(all).toMatchObject({
    overallOf: "requests",
    leftOut: { transactions: 1, subresults: 1 },
    endpoints: [
      { label: "Buy a cart", role: "transaction", count: 1000 },
      { label: "GET /cart" },
      { label: "GET /cart-0", role: "subresult", count: 1000 },
      { label: "POST /pay" },
    ],
  });
  expect(all.endpoints[1]).not.toHaveProperty("role");
  expect(all.overall.avgLoadTime).toBe(0.001);
  const hash = { by: "hash", hash: hashOfLabel("Buy a cart") } as const;
  expect(await summarise(points, { ...SUMMARY, selection: hash })).toMatchObject({
    overallOf: "everything",
    leftOut: { transactions: 0, subresults: 0 },
  });
});

test("responses per endpoint leave nothing out", async () => {
  const { points } = await shop();
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const failures = await readFailures(points, query);
  expect(failures.endpoints.map(({ label }) => label)).toEqual(["Buy a cart"]);
  const percentiles = { ...query, resolutionSeconds: 1, quantiles: [], isMerged: false };
  const answer = await openPercentiles(points, percentiles);
  expect(await collect(answer.series())).toHaveLength(4);
  answer.release();
});

test("in a comparison, the stronger role of both runs counts", async () => {
  const { loadTests, points } = await shop({ a: "transaction", b: "transaction", c: "request" });
  await loadTests.create(loadTest("later"));
  await appendShop(points, { a: "request", b: "subresult", c: "request" }, "later");
  const both = {
    selection: ALL_ENDPOINTS,
    range: undefined,
    skipStartSeconds: 0,
    skipEndSeconds: 0,
  };
  const base = { ...both, loadTestId: "run" };
  const later = { ...both, loadTestId: "later" };
  for (const query of [
    { base, later },
    { base: later, later: base },
  ]) {
    const comparison = await compareLoadTests(points, query);
    expect(comparison).toMatchObject({
      overallOf: "requests",
      leftOut: { transactions: 0, subresults: 1 },
      overall: { count: { base: 2000, value: 2000 } },
    });
    const roles = comparison.endpoints.map(({ label, role }) => [label, role]);
    expect(Object.fromEntries(roles)).toEqual({ a: undefined, b: "subresult", c: undefined });
  }
});

test("excluded rows are counted by role", () => {
  const endpoints = [
    { role: undefined },
    { role: "transaction" },
    { role: "subresult" },
    { role: "subresult" },
  ] as const;
  const whole = new Set<object>(overallEndpoints(endpoints, ALL_ENDPOINTS));
  expect(overallContents(endpoints, (each) => whole.has(each))).toEqual({
    overallOf: "requests",
    leftOut: { transactions: 1, subresults: 2 },
  });
});
