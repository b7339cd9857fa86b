import { afterAll, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const world = await createTestServer();
afterAll(() => world.server.close());

await world.store.points.append({
  ...batchOf([
    sample("buy a page", 10, 9000),
    sample("page", 10, 4000),
    sample("page-0", 10, 2000),
  ]),
  roles: ["transaction", "request", "subresult"],
});

async function read(path: string) {
  const answer = await world.ask(path);
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

function rolesOf(answer: { endpoints: { label: string; role?: string }[] }) {
  return Object.fromEntries(answer.endpoints.map(({ label, role }) => [label, role]));
}

const IN_ALL = { overallOf: "requests", leftOut: { transactions: 1, subresults: 1 } };

test("Summary and Compare state the role of each endpoint and what the total includes", async () => {
  const summary = await read("/Api/LoadTests/run/Summary");
  expect(summary).toMatchObject({ ...IN_ALL, overall: { count: 1, avgLoadTime: 0.004 } });
  const expected = { "buy a page": "transaction", page: undefined, "page-0": "subresult" };
  expect(rolesOf(summary)).toEqual(expected);
  const comparison = await read("/Api/LoadTests/run/Compare?base=run");
  expect(comparison).toMatchObject({ ...IN_ALL, overall: { count: { base: 1, value: 1 } } });
  expect(rolesOf(comparison)).toEqual(expected);
});

test.each([
  ["Distribution", { counts: [1] }],
  ["Heatmap", { cells: [[[0, 1]]] }],
  ["Percentiles?merge=true&percent=50", [{ count: [1], percentiles: { p50: [0.004] } }]],
])("%s counts requests only", async (path, body) => {
  expect(await read(`/Api/LoadTests/run/${path}`)).toMatchObject(body);
});

test("GET /Api/Metrics leaves nothing out and adds nothing", async () => {
  const items = await read("/Api/Metrics?loadTestId=run&filter=page&format=xy");
  expect(items.map(({ label }: { label: string }) => label)).toEqual([
    "buy a page",
    "page",
    "page-0",
  ]);
  expect(new Set(items.flatMap(Object.keys))).toEqual(new Set(["hash", "label", "data"]));
});
