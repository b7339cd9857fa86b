import { expect, test } from "vitest";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { LoadTests } from "../store/store.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../test/support/store-directory.ts";
import { findPrunable, passLimit, pruneLoadTests, type Retention } from "./prune-load-tests.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = 1000 * DAY_MS;

/** A run whose last data arrived this many hours ago. */
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
  summary("old baseline", 24 * 400, { tags: ["baseline"] }),
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
])("of eight load tests, %j deletes %j", (retention, expected) => {
  const prunable = findPrunable(ALL, retention, NOW_MS);
  expect(prunable.map(({ loadTest: { id }, reason }) => `${id}: ${reason}`)).toEqual(expected);
});

test.each([-3650, -1, 0, 1, 3650])(
  "a clock that is %d days wrong makes nothing older than the newest data do",
  (days) => {
    const retention = { keepDays: 30 };
    const wrongMs = NOW_MS + days * DAY_MS;
    const kept = ALL.filter(({ id }) => id !== "old");
    expect(findPrunable(kept, retention, wrongMs)).toEqual([]);
    const gone = findPrunable(ALL, retention, Math.max(NOW_MS, wrongMs));
    expect(gone.map(({ loadTest: { id } }) => id)).toEqual(["old"]);
  },
);

test("what comes or is created while the clock is ahead makes nothing old", () => {
  const until = NOW_MS / 1000 - 60;
  const aheadMs = NOW_MS + 3650 * DAY_MS;
  const came = summary("came", -24 * 3650, { until });
  const created = summary("created", 0, { lastDataAtMs: undefined, createdAtMs: aheadMs });
  // Without requests, its only time is that of the wrong clock.
  const measures = summary("measures", -24 * 3650);
  const kept = [...ALL.filter(({ id }) => id !== "old"), came, created, measures];
  expect(findPrunable(kept, { keepDays: 30 }, aheadMs)).toEqual([]);
  const gone = findPrunable([...ALL, came, created, measures], { keepDays: 30 }, aheadMs);
  expect(gone.map(({ loadTest: { id } }) => id)).toEqual(["old"]);
});

test("what came while the clock was behind is as old as what was measured", () => {
  const until = NOW_MS / 1000 - 60;
  const behind = summary("behind", 24 * 3650, { until });
  const retention = { keepDays: 30, keepTests: 2 };
  expect(findPrunable([...ALL.slice(3, 4), behind], retention, NOW_MS)).toEqual([]);
  const ahead = summary("ahead", 24 * 365, { until: until + 1e9, finishedAtMs: 1 });
  expect(findPrunable([ahead], { keepTests: 0 }, NOW_MS)).toMatchObject([{ reason: "count" }]);
});

test.each([
  [0, 0],
  [1, 1],
  [10, 1],
  [11, 2],
  [1000, 100],
])("of %d load tests, %d may be deleted in one pass", (loadTests, expected) => {
  expect(passLimit(loadTests)).toBe(expected);
});

test("if not all may be deleted at once, those with the earliest data are", async () => {
  const loadTests = await openFilled();
  const due = findPrunable(await loadTests.list(), { keepTests: 0 }, NOW_MS);
  for await (const _ of pruneLoadTests(loadTests, due, 2));
  expect((await loadTests.list()).map(({ id }) => id)).toEqual(["d", "c"]);
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
  const due = findPrunable(await loadTests.list(), retention, NOW_MS);
  for await (const { loadTest: pruned } of pruneLoadTests(loadTests, due)) {
    ids.push(pruned.id);
  }
  return ids;
}

test("deletes exactly what is not retained", async () => {
  const loadTests = await openFilled();
  await loadTests.update("a", { pinned: true });
  expect(await idsPruned(loadTests, { keepTests: 1 })).toEqual(["b", "c"]);
  expect((await loadTests.list()).map(({ id }) => id)).toEqual(["d", "a"]);
});

test("a run that is pinned, gets data or is deleted during pruning is skipped", async () => {
  const loadTests = await openFilled();
  const changing: typeof loadTests = {
    ...loadTests,
    async deleteIf(id, isDue) {
      const isDeleted = await loadTests.deleteIf(id, (found) =>
        isDue(id === "d" ? { ...found, lastDataAtMs: NOW_MS } : found),
      );
      if (id === "a") {
        await loadTests.update("b", { pinned: true });
        await loadTests.delete("c");
      }
      return isDeleted;
    },
  };
  expect(await idsPruned(changing, { keepTests: 0 })).toEqual(["a"]);
  expect((await loadTests.list()).map(({ id }) => id)).toEqual(["d", "b"]);
});

test("a run that was pinned before its deletion was stored is not deleted", async () => {
  const { loadTests } = await openStoreIn(temporaryDirectory());
  await loadTests.create(loadTest("run"));
  const due = (await loadTests.list()).map((each) => ({ loadTest: each, reason: "age" }) as const);
  const pinning = loadTests.update("run", { pinned: true });
  expect(await Array.fromAsync(pruneLoadTests(loadTests, due))).toEqual([]);
  await pinning;
  expect(await loadTests.find("run")).toMatchObject({ pinned: true });
});
