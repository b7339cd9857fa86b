import { afterAll, expect, test } from "vitest";
import type { ComparedRuns } from "../api/compare.ts";
import { cellsAsPairs } from "../../test/support/compared-cells.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { storeVersionRuns } from "../../test/support/version-runs.ts";

const world = await createTestServer();
afterAll(() => world.server.close());
await storeVersionRuns(world.store, { runs: 6, endpoints: 9, seconds: 120 });

async function ask(path: string) {
  return await world.ask(`/Api/${path}`);
}

async function idsOf(query: string) {
  const { loadTests }: ComparedRuns = (await ask(`Compare?${query}`)).json();
  return loadTests.map(({ id }) => id);
}

test("every cell of three versions and eight endpoints is what the comparison of the two says", async () => {
  expect(await cellsAsPairs(ask, "name=shop&per=version")).toBe(8 + 9);
  expect(await cellsAsPairs(ask, "runs=v4,v0,v2", "&skipStart=7&filter=/3")).toBe(2);
});

test("a run and its base are worst first, and the chance of a false star is stated", async () => {
  const answer: ComparedRuns = (await ask("Compare?name=shop&per=version&limit=4")).json();
  expect(answer.loadTests.map(({ id, value }) => [id, value])).toEqual([
    ["v1", "8.0"],
    ["v3", "8.1"],
    ["v5", "8.2"],
  ]);
  expect(
    answer.endpoints
      .slice(0, 3)
      .map(({ label }) => label)
      .toSorted(),
  ).toEqual(["GET /0", "GET /3", "GET /6"]);
  // 1.5 times as long from v3 on, of which runs 1 and 3 differ by noise of 1.01 and 1.005.
  const [slowest] = answer.endpoints;
  expect(slowest?.cells[0]).not.toHaveProperty("verdict");
  expect(slowest?.cells[1]).toMatchObject({ verdict: "slower" });
  expect(slowest?.cells[1]?.p95.change).toBeCloseTo((1.5 * 1.005) / 1.01 - 1, 2);
  expect(answer.leftOut).toEqual({ endpoints: 5, loadTests: 3 });
  expect(answer.errorProbability).toEqual({ each: 0.01, any: 0.02 });
});

test("measures have a row, the worst first, with a cell for each run that has them", async () => {
  const { measures = [] }: ComparedRuns = (await ask("Compare?runs=v0,v1,v3")).json();
  expect(measures.map(({ name, worse }) => [name, worse])).toEqual([
    ["cpu", "higher"],
    ["errors", "higher"],
  ]);
  // 30 to 34 and 60 to 64, each as often.
  expect(measures[0]?.cells).toMatchObject([
    { count: 120, mean: { value: 32 } },
    { verdict: "unchanged", mean: { value: 32, change: 0 } },
    { verdict: "worse", mean: { value: 62, change: 62 / 32 - 1, isSignificant: true } },
  ]);
  expect(measures[1]?.cells).toMatchObject([
    { count: 120 },
    { count: 0, verdict: "gone" },
    { count: 120, verdict: "unchanged" },
  ]);
  const { leftOut }: ComparedRuns = (await ask("Compare?runs=v0,v1,v3&limit=1")).json();
  expect(leftOut).toMatchObject({ measures: 1 });
});

async function eventsOf() {
  const { loadTests }: ComparedRuns = (await ask("Compare?runs=v4,v5")).json();
  return loadTests.map(({ events = [] }) => events.map(({ at, text }) => [at, text]));
}

test("a run has its events and notes, and a new one is shown", async () => {
  expect(await eventsOf()).toEqual([[], []]);
  const atMs = Date.UTC(2023, 10, 19);
  await world.store.loadTests.update("v5", { addedEvents: [{ atMs, text: "pool doubled" }] });
  expect(await eventsOf()).toEqual([[], [["2023-11-19T00:00:00.000Z", "pool doubled"]]]);
});

test.each([
  ["name=shop", ["v1", "v2", "v3", "v4", "v5"]],
  ["name=shop&last=2", ["v4", "v5"]],
  ["name=shop&last=2&base=v0", ["v0", "v4", "v5"]],
  ["name=shop&per=version&last=2", ["v3", "v5"]],
  ["runs=v3,v1,v3&runs=v2", ["v3", "v1", "v2"]],
  ["runs=v3,v1&base=v1", ["v1", "v3"]],
])("%s compares %j, the first as base", async (query, ids) => {
  expect(await idsOf(query)).toEqual(ids);
});

test("of a name, the baseline is the base if it is among the runs", async () => {
  await world.store.loadTests.update("v3", { addedTags: ["baseline"] });
  expect(await idsOf("name=shop&last=4")).toEqual(["v3", "v2", "v4", "v5"]);
  expect(await idsOf("name=shop&last=2")).toEqual(["v4", "v5"]);
  await world.store.loadTests.update("v3", { removedTags: ["baseline"] });
  expect(await idsOf("name=shop&last=4")).toEqual(["v2", "v3", "v4", "v5"]);
});

async function reasonOf(id: string): Promise<string | undefined> {
  const { loadTests }: ComparedRuns = (await ask("Compare?runs=v1,v2")).json();
  return loadTests.find((each) => each.id === id)?.reason;
}

test("the reason of a run is the first line of its description, and a new one is shown", async () => {
  await world.store.loadTests.update("v2", { description: "\n**Pool of 20**\n\nFor the sale." });
  expect([await reasonOf("v1"), await reasonOf("v2")]).toEqual([undefined, "**Pool of 20**"]);
  await world.store.loadTests.update("v2", { description: "=".repeat(101) });
  expect(await reasonOf("v2")).toBe("=".repeat(100));
});

test.each([
  ["", 400, "expected either runs or a name"],
  ["runs=v1&name=shop", 400, "expected either runs or a name"],
  ["runs=v1", 400, "got 1 runs to compare, want 2 to 20"],
  [`runs=${Array.from({ length: 21 }, (_, at) => at).join()}`, 400, "got 21 runs"],
  // Every object inherits a member of this name.
  ["name=shop&per=constructor", 400, 'got 0 runs of "shop", want 2 to 20'],
  ["name=shop&per=none", 400, 'got 0 runs of "shop", want 2 to 20'],
  ["name=none", 400, 'got 0 runs of "none"'],
  ["name=shop&last=21", 400, "last: "],
  ["runs=v1,no", 404, '"no"'],
])("reports the mistake in %j", async (query, status, detail) => {
  const answer = await ask(`Compare?${query}`);
  expect(answer.statusCode).toBe(status);
  expect(answer.json().detail).toContain(detail);
});

test("a base that is not among the latest 20 runs of a name replaces the oldest of these", async () => {
  for (let at = 0; at < 20; at++) {
    const createdAtMs = 1_800_000_000_000 + at * 1000;
    await world.store.loadTests.create({ ...loadTest(`n${at}`, createdAtMs), name: "nightly" });
  }
  const latest = Array.from({ length: 19 }, (_, at) => `n${at + 1}`);
  const { loadTests, leftOut } = (
    await ask("Compare?name=nightly&last=20&base=v0")
  ).json() as ComparedRuns;
  expect(loadTests.map(({ id }) => id)).toEqual(["v0", ...latest]);
  expect(leftOut.loadTests).toBe(1);
});
