import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import {
  batchOf,
  collect,
  expectedSeries,
  published,
  sample,
  snapshotOf,
  stored,
  endpointsOf,
} from "../../../../test/support/batches.ts";
import {
  batchOfSeed,
  ComparedStores,
  schedules,
} from "../../../../test/support/compared-stores.ts";
import { densePoints } from "../../../../test/support/dense-points.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import {
  openCompactedStore,
  type CompactedStore,
} from "../../../../test/support/compacted-store.ts";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { ALL_SECONDS } from "../../../model/columns.ts";
import type { PointBatch } from "../../store.ts";

/** Releases use more. */
const SCHEDULES = Number(process.env["TACHOGRAPH_SCHEDULES"] ?? 10);

test.each([
  { thread: "this thread", isBeside: false, runs: SCHEDULES },
  // Each run starts a new thread.
  { thread: "a second one", isBeside: true, runs: SCHEDULES },
])(
  "the store returns what the memory store returns, with compaction in $thread, retries and reopening",
  async ({ isBeside, runs }) => {
    const property = fc.asyncProperty(schedules, async (schedule) => {
      const stores = new ComparedStores({ isBeside });
      await stores.begin();
      for (const [sequence, { what, sourceId, seed }] of schedule.entries()) {
        await stores.take(what, batchOfSeed(sourceId, sequence, seed));
        for (const [found, wanted] of stores.compared.splice(0)) expect(found).toEqual(wanted);
      }
      await stores.end();
      for (const [found, wanted] of stores.compared) expect(found).toEqual(wanted);
    });
    await fc.assert(property, { numRuns: runs });
  },
  60_000 + 6000 * SCHEDULES,
);

function open(directory = temporaryDirectory(), now = () => 1_000_000): CompactedStore {
  const store = openCompactedStore(directory, { now, runsCompacted: 4 });
  onTestFinished(() => store.close());
  return store;
}

/** Appends `batches` batches without time for compaction and returns their samples. */
async function appendTo({ loadTests, points }: CompactedStore, sourceId: string, batches: number) {
  if ((await loadTests.find("run")) === undefined) await loadTests.create(loadTest());
  const samples = Array.from({ length: batches }, (_, sequence) => [
    sample(`${sourceId} a`, sequence, 1000 * sequence),
    sample("shared", sequence),
  ]);
  await Promise.all(
    samples.map((each, sequence) => points.append(batchOf(each, { sourceId, sequence }))),
  );
  return samples.flat();
}

function visibleBlocks({ file }: CompactedStore): unknown {
  const sql =
    "SELECT count(*) AS blocks FROM blocks WHERE shown_from IS NOT NULL AND shown_until IS NULL";
  return file.reader.prepare(sql).get()?.["blocks"];
}

test("batches are compacted automatically once there are enough", async () => {
  const store = open();
  const samples = await appendTo(store, "sender", 4);
  await store.compactor.idle();
  expect(visibleBlocks(store)).toBe(1);
  expect(await stored(store)).toEqual(expectedSeries(samples));
});

test("compaction does not change the visible revision", async () => {
  const store = open();
  await appendTo(store, "sender", 3);
  const revision = async () => {
    const snapshot = await snapshotOf(store);
    snapshot.release();
    return snapshot.revision;
  };
  const before = await revision();
  await appendTo(store, "other", 1);
  const after = await revision();
  expect(after).not.toBe(before);
  await appendTo(store, "sender", 4);
  const uncompacted = await revision();
  await store.compact();
  expect(await revision()).toBe(uncompacted);
});

test("two processes that compact the same store neither lose nor duplicate data", async () => {
  const directory = temporaryDirectory();
  const [one, other] = [open(directory), open(directory)];
  const samples = await appendTo(one, "sender", 18);
  for (const store of [one, other]) store.compactor.sweep();
  await Promise.all([one.compactor.idle(), other.compactor.idle()]);
  for (const store of [one, other]) expect(await stored(store)).toEqual(expectedSeries(samples));
});

test("an aborted compaction changes nothing, and its blocks are deleted", async () => {
  let nowMs = 1_000_000;
  const store = open(temporaryDirectory(), () => nowMs);
  await store.loadTests.create(loadTest());
  const count = (where: string) =>
    store.file.reader.prepare(`SELECT count(*) AS blocks FROM blocks WHERE ${where}`).get()?.[
      "blocks"
    ];
  const givenUp = new Promise<void>((resolve) => {
    // Stops once the first block is written.
    store.file.queue.onCommit = () => {
      if (count("shown_from IS NULL") !== 0) resolve(store.compactor.stop());
    };
  });
  for (const batch of denseBatches(15_000)) await store.points.append(batch);
  await givenUp;
  expect(count("shown_from IS NULL")).toBeGreaterThan(0);
  expect(count("shown_from IS NULL AND shown_until IS NULL")).toBe(0);
  expect(visibleBlocks(store)).toBe(4);
  nowMs += 721_000;
  await store.snapshots.collectGarbage();
  expect(count("shown_from IS NULL")).toBe(0);
  expect(visibleBlocks(store)).toBe(4);
});

test("a source with a damaged block stays as it is, and the others are compacted", async () => {
  let nowMs = 1_000_000;
  const store = open(temporaryDirectory(), () => nowMs);
  await appendTo(store, "broken", 3);
  await appendTo(store, "whole", 3);
  await store.file.queue.write(() =>
    store.file.writer.exec("UPDATE segments SET plain = x'0102030405' WHERE block = 1"),
  );
  nowMs += 61_000;
  await store.compact();
  await store.compact();
  expect(visibleBlocks(store)).toBe(3 + 1);
  await expect(stored(store)).rejects.toMatchObject({ code: "damaged-store" });
});

test("sums over 2^53 - 1 are not compacted, and reading them is refused", async () => {
  let nowMs = 1_000_000;
  const store = open(temporaryDirectory(), () => nowMs);
  await store.loadTests.create(loadTest());
  for (const sequence of [0, 1]) {
    const large = sample("a", 7, Number.MAX_SAFE_INTEGER - 1);
    await store.points.append(batchOf([large], { sequence }));
  }
  nowMs += 61_000;
  await store.compact();
  expect(visibleBlocks(store)).toBe(2);
  await expect(stored(store)).rejects.toMatchObject({ code: "sum-too-large" });
});

test("a source of a finished load test is fully compacted at once", async () => {
  const store = open();
  const samples = await appendTo(store, "sender", 3);
  await store.compact();
  expect(visibleBlocks(store)).toBe(3);
  await store.loadTests.update("run", { finishedAtMs: 5 });
  await store.compact();
  expect(visibleBlocks(store)).toBe(1);
  expect(await stored(store)).toEqual(expectedSeries(samples));
});

test("a large live batch is stored like an imported one and is not compacted", async () => {
  const store = open();
  await store.loadTests.create(loadTest());
  const samples = Array.from({ length: 600 }, (_, index) =>
    sample(`label ${index % 2}`, index >> 1),
  );
  for (const sequence of [0, 1, 2, 3]) await store.points.append(batchOf(samples, { sequence }));
  await store.compact();
  expect(visibleBlocks(store)).toBe(4);
  expect(store.file.reading.blocks.live(1)).toEqual([]);
  const all = [samples, samples, samples, samples].flat();
  expect(await stored(store)).toEqual(expectedSeries(all));
});

test("compaction yields to other work", async () => {
  const store = open();
  await store.loadTests.create(loadTest());
  for (const batch of denseBatches(2000)) await store.points.append(batch);
  let turns = 0;
  const takeTurn = () => {
    turns += 1;
    next = setImmediate(takeTurn);
  };
  let next = setImmediate(takeTurn);
  await store.compactor.idle();
  clearImmediate(next);
  expect(turns).toBeGreaterThan(4);
  expect(visibleBlocks(store)).toBe(1);
});

/** Returns four batches of one second each. */
function denseBatches(endpoints: number): PointBatch[] {
  const labels = Array.from({ length: endpoints }, (_, index) => `label ${index}`);
  return [0, 1, 2, 3].map((sequence) => {
    const firstSecond = 1_790_000_000 + sequence;
    const shape = { endpoints, seconds: 1, requestsPerPoint: 14, firstSecond };
    return { ...batchOf([], { sequence }), labels, points: densePoints(shape, sequence) };
  });
}

/** Stages one batch per second with all endpoints and publishes them. */
async function importSeconds(store: CompactedStore, seconds: number) {
  await store.loadTests.create(loadTest());
  const shape = { endpoints: 40, seconds: 1, requestsPerPoint: 2 };
  const labels = Array.from({ length: 40 }, (_, index) => `endpoint ${index}`);
  const parts = Array.from({ length: seconds }, (_, second) =>
    densePoints({ ...shape, firstSecond: 1_790_000_000 + second }, second),
  );
  for (const [sequence, points] of parts.entries()) {
    const batch = { loadTestId: "run", sourceId: "file", sequence, labels, points };
    await store.points.append({ ...batch, visibility: "staged" });
  }
  return store.points.publish(published("file"));
}

test("publishing a source merges its small blocks as if they had come at once", async () => {
  const store = open();
  expect(await importSeconds(store, 20)).toEqual({ duplicate: false });
  // 40 endpoints in groups of 16.
  expect(visibleBlocks(store)).toBe(3);
  const sql =
    "SELECT count(*) AS blocks FROM blocks WHERE level IS NOT NULL AND shown_until IS NULL";
  expect(store.file.reader.prepare(sql).get()?.["blocks"]).toBe(0);
  const snapshot = await snapshotOf(store);
  const [endpoint] = await endpointsOf(snapshot);
  if (endpoint === undefined) throw new Error("no endpoint");
  const seconds: number[] = [];
  for await (const { columns } of snapshot.read([endpoint], ALL_SECONDS, "sums")) {
    seconds.push(...columns.second);
  }
  snapshot.release();
  expect(seconds).toEqual(Array.from({ length: 20 }, (_, second) => 1_790_000_000 + second));
  expect(await collect(store.verify())).toEqual([]);
});

test("a merge left by a killed process is done by the next one", async () => {
  const directory = temporaryDirectory();
  const killed = openCompactedStore(directory, { now: () => 1_000_000 });
  // Publishes without merging.
  await killed.compactor.stop();
  await importSeconds(killed, 20);
  expect(visibleBlocks(killed)).toBe(20);
  const snapshot = await snapshotOf(killed);
  snapshot.release();
  await killed.close();
  const store = open(directory);
  await store.compact();
  expect(visibleBlocks(store)).toBe(3);
  const after = await snapshotOf(store);
  after.release();
  expect(after.revision).toBe(snapshot.revision);
  expect(await collect(store.verify())).toEqual([]);
});
