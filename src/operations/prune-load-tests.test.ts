import { expect, test } from "vitest";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { LoadTests } from "../store/store.ts";
import { openMemoryStore } from "../store/memory.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { findPrunable, pruneLoadTests, type Retention } from "./prune-load-tests.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = 1000 * DAY_MS;

/** A load test whose last data came so many hours ago. */
function summary(id: string, hoursAgo: number, about: Partial<LoadTestSummary> = {}) {
  const nothing = { endpoints: 0, requests: 0, failedRequests: 0, from: undefined };
  return {
    ...loadTest(id, NOW_MS - 100 * DAY_MS),
    ...nothing,
    until: undefined,
    formats: [],
    lastDataAtMs: NOW_MS - hoursAgo * HOUR_MS,
    ...about,
  };
}

const ALL = [
  summary("running", 0.5),
  summary("pinned", 5, { pinned: true }),
  summary("done", 0.9, { finishedAtMs: 1 }),
  summary("yesterday", 24),
  summary("empty", 0, { lastDataAtMs: undefined, createdAtMs: NOW_MS - 48 * HOUR_MS }),
  summary("old", 24 * 40),
  summary("old and pinned", 24 * 400, { pinned: true }),
];

test.each<[Retention, string[]]>([
  [{}, []],
  [{ keepDays: 41 }, []],
  [{ keepDays: 40 }, []],
  [{ keepDays: 39 }, ["old: age"]],
  [{ keepDays: 1 }, ["empty: age", "old: age"]],
  [{ keepTests: 5 }, []],
  [{ keepTests: 4 }, ["old: count"]],
  [{ keepTests: 1 }, ["done: count", "yesterday: count", "empty: count", "old: count"]],
  [{ keepTests: 0 }, ["done: count", "yesterday: count", "empty: count", "old: count"]],
  [{ keepTests: 3, keepDays: 10 }, ["empty: count", "old: age"]],
])("of seven load tests %j lets go %j", (retention, expected) => {
  const prunable = findPrunable(ALL, retention, NOW_MS);
  expect(prunable.map(({ loadTest: { id }, reason }) => `${id}: ${reason}`)).toEqual(expected);
});

async function openFilled() {
  const { loadTests } = openMemoryStore();
  for (const [id, at] of [
    ["a", 1],
    ["b", 2],
    ["c", 3],
    ["d", 4],
  ] as const) {
    await loadTests.create(loadTest(id, at));
  }
  return loadTests;
}

async function idsPruned(loadTests: LoadTests, retention: Retention) {
  const ids: string[] = [];
  for await (const { loadTest: pruned } of pruneLoadTests(loadTests, retention, NOW_MS)) {
    ids.push(pruned.id);
  }
  return ids;
}

test("what is not kept is deleted, and only that", async () => {
  const loadTests = await openFilled();
  await loadTests.update("a", { pinned: true });
  expect(await idsPruned(loadTests, { keepTests: 1 })).toEqual(["c", "b"]);
  expect((await loadTests.list()).map(({ id }) => id)).toEqual(["d", "a"]);
});

test("what is pinned, gets data or goes while others are deleted is left alone", async () => {
  const loadTests = await openFilled();
  const changing: typeof loadTests = {
    ...loadTests,
    async delete(id) {
      await loadTests.delete(id);
      if (id !== "d") return;
      await loadTests.update("c", { pinned: true });
      await loadTests.delete("b");
    },
    async find(id) {
      const found = await loadTests.find(id);
      return found && (id === "a" ? { ...found, lastDataAtMs: NOW_MS } : found);
    },
  };
  expect(await idsPruned(changing, { keepTests: 0 })).toEqual(["d"]);
  expect((await loadTests.list()).map(({ id }) => id)).toEqual(["c", "a"]);
});

test("one that another process deletes in that moment is no error", async () => {
  const loadTests = await openFilled();
  const racing: typeof loadTests = {
    ...loadTests,
    async delete(id) {
      await loadTests.delete(id);
      await loadTests.delete(id);
    },
  };
  expect(await idsPruned(racing, { keepTests: 3 })).toEqual([]);
});
