import { expect, test } from "vitest";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { LoadTests } from "../store/store.ts";
import { downsampleLoadTests, findDownsampled } from "./prune-load-tests.ts";

const DAY_MS = 24 * 3_600_000;
const NOW_MS = 1000 * DAY_MS;

const unexpected = (error: unknown): never => expect.fail(String(error));

async function open(): Promise<LoadTests> {
  const { loadTests } = openMemoryStore();
  for (const [id, daysAgo] of [
    ["new", 0],
    ["in time", 30],
    ["old", 31],
    ["older", 900],
    ["pinned", 900],
    ["baseline", 900],
    ["minutes", 900],
  ] as const) {
    await loadTests.create(loadTest(id, NOW_MS - daysAgo * DAY_MS));
  }
  await loadTests.update("pinned", { pinned: true });
  await loadTests.update("baseline", { addedTags: ["baseline"] });
  await loadTests.update("minutes", { secondsPerPoint: 60 });
  return loadTests;
}

async function idsOf(loadTests: AsyncIterable<LoadTestSummary>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of loadTests) ids.push(id);
  return ids;
}

test("old load tests are downsampled once, oldest first; pinned ones and baselines never", async () => {
  const loadTests = await open();
  const due = findDownsampled(await loadTests.list(), 30, NOW_MS);
  const called: string[] = [];
  const downsample = async (id: string) => {
    called.push(id);
    return id !== "old";
  };
  expect(await idsOf(downsampleLoadTests(loadTests, { downsample }, due, unexpected))).toEqual([
    "older",
  ]);
  expect(called).toEqual(["older", "old"]);
  expect(await loadTests.find("older")).toMatchObject({ tags: [], secondsPerPoint: 60 });
  // It did not complete, so it is due again.
  const again = findDownsampled(await loadTests.list(), 30, NOW_MS);
  expect(again.map(({ id }) => id)).toEqual(["old"]);
});

test("a load test that was pinned or deleted meanwhile is skipped", async () => {
  const loadTests = await open();
  const due = findDownsampled(await loadTests.list(), 30, NOW_MS);
  await loadTests.update("older", { pinned: true });
  await loadTests.delete("old");
  const called: string[] = [];
  const downsample = async (id: string) => called.push(id) > 0;
  expect(await idsOf(downsampleLoadTests(loadTests, { downsample }, due, unexpected))).toEqual([]);
  expect(called).toEqual([]);
});
