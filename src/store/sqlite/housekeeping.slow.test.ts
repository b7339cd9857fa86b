import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { batchOf, expectedSeries, sample, stored } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openCompactedStore } from "../../../test/support/compacted-store.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";

const samples = [0, 1, 2].map((second) => sample("a", second));

/** Creates a store with three live batches of one source and fake timers. */
async function openWithLiveBatches() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = temporaryDirectory();
  const clock = { nowMs: 1_000_000 };
  const now = () => clock.nowMs;
  const writer = openCompactedStore(directory, { now });
  await writer.loadTests.create(loadTest());
  for (const [sequence, each] of samples.entries()) {
    await writer.points.append(batchOf([each], { sequence }));
  }
  await writer.close();
  const database = new DatabaseSync(path.join(directory, "store.db"), { readOnly: true });
  onTestFinished(() => database.close());
  const count = (where: string) =>
    database.prepare(`SELECT count(*) AS blocks FROM blocks WHERE ${where}`).get()?.["blocks"];
  const open = () => openStoreIn(directory, { now });
  return { clock, open, count };
}

/** Waits for a condition; the time limit of the test applies. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

test("the remaining blocks of an ended source are compacted while the store is idle", async () => {
  const { clock, open, count } = await openWithLiveBatches();
  clock.nowMs += 60_000;
  const store = await open();
  expect(count("shown_until IS NULL")).toBe(3);
  vi.advanceTimersByTime(2000);
  await until(() => count("shown_until IS NULL") === 1);
  expect(await stored(store)).toEqual(expectedSeries(samples));
});

test("deleted blocks are removed after the grace period even without writes", async () => {
  const { clock, open, count } = await openWithLiveBatches();
  const [store, other] = [await open(), await open()];
  await other.loadTests.delete("run");
  await other.close();
  clock.nowMs += 119_000;
  vi.advanceTimersByTime(60_000);
  await nextTurn();
  expect(count("TRUE")).toBe(3);
  clock.nowMs += 2000;
  vi.advanceTimersByTime(60_000);
  await until(() => count("TRUE") === 0);
  expect(await store.loadTests.list()).toEqual([]);
});

test("a closed store does nothing", async () => {
  const { clock, open, count } = await openWithLiveBatches();
  const store = await open();
  await store.close();
  clock.nowMs += 500_000;
  vi.advanceTimersByTime(600_000);
  await nextTurn();
  expect(vi.getTimerCount()).toBe(0);
  expect(count("shown_until IS NULL")).toBe(3);
});
