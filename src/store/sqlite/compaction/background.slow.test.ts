import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  batchOf,
  collect,
  expectedSeries,
  sample,
  stored,
} from "../../../../test/support/batches.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import {
  openCompactedStore,
  type CompactedStore,
} from "../../../../test/support/compacted-store.ts";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { UserError } from "../../../model/errors.ts";
import { Background } from "./background.ts";

async function open(directory = temporaryDirectory()): Promise<CompactedStore> {
  const options = { now: () => 1_000_000, runsCompacted: 4, isBeside: true, logPages: 100 };
  const store = openCompactedStore(directory, options);
  await store.loadTests.create(loadTest());
  return store;
}

/** Appends `batches` batches and returns their samples. */
async function append({ points }: CompactedStore, sourceId: string, batches: number) {
  const samples = Array.from({ length: batches }, (_, sequence) =>
    sample(`${sourceId} ${sequence % 2}`, sequence, 1000 * sequence),
  );
  for (const [sequence, each] of samples.entries()) {
    await points.append(batchOf([each], { sourceId, sequence }));
  }
  return samples;
}

function count({ file }: CompactedStore, where: string): unknown {
  return file.reader.prepare(`SELECT count(*) AS found FROM ${where}`).get()?.["found"];
}

test("the thread reports a damaged block, and other sources are compacted", async () => {
  const store = await open();
  onTestFinished(() => store.close());
  await append(store, "broken", 3);
  await store.file.queue.write(() =>
    store.file.writer.exec("UPDATE segments SET plain = x'0102030405' WHERE block = 1"),
  );
  await append(store, "broken but later", 4);
  await store.compactor.idle();
  await store.points.append(batchOf([sample("a", 9)], { sourceId: "broken", sequence: 3 }));
  await store.compactor.idle();
  const merged =
    "blocks WHERE level = 1 AND shown_until IS NULL AND shown_from IS NOT NULL AND source =";
  expect(count(store, `${merged} 1`)).toBe(0);
  expect(count(store, `${merged} 2`)).toBe(1);
});

test("the log restarts during writes, before the writer would run its own checkpoint", async () => {
  const store = await open();
  onTestFinished(() => store.close());
  store.file.writer.exec("PRAGMA wal_autocheckpoint = 0");
  const sizeBefore = statSync(store.file.path).size;
  const samples = await append(store, "sender", 120);
  await store.compactor.idle();
  const logPages = () =>
    Number(store.file.writer.prepare("PRAGMA wal_checkpoint(NOOP)").get()?.["log"]);
  let sequence = samples.length;
  while (logPages() > 50) {
    const later = sample("later", sequence);
    await store.points.append(batchOf([later], { sourceId: "sender", sequence }));
    samples.push(later);
    sequence += 1;
  }
  expect(statSync(store.file.path).size).toBeGreaterThan(sizeBefore);
  expect(await stored(store)).toEqual(expectedSeries(samples));
  expect(await collect(store.verify())).toEqual([]);
});

test("a late reply of the stopping thread does not let the process exit early", async () => {
  const store = await open();
  onTestFinished(() => store.close());
  const background = new Background(store.file.path);
  const [ref, unref] = [vi.spyOn(Worker.prototype, "ref"), vi.spyOn(Worker.prototype, "unref")];
  const asked = Promise.allSettled([background.checkpoint()]);
  const stopped = background.stop();
  (ref.mock.contexts[0] as Worker).emit("message", { kind: "end" });
  await stopped;
  expect(unref).not.toHaveBeenCalled();
  expect(await asked).toMatchObject([{ status: "rejected" }]);
  for (const spy of [ref, unref]) spy.mockRestore();
});

test("a request after the stop does not start a new thread", async () => {
  const store = await open();
  onTestFinished(() => store.close());
  await store.background.stop();
  await expect(store.background.checkpoint()).rejects.toThrow("the thread was ended");
});

test("a file that cannot be opened is an error, and opening is retried later", async () => {
  const directory = path.join(temporaryDirectory(), "later");
  const background = new Background(path.join(directory, "store.db"));
  onTestFinished(() => background.stop());
  await expect(background.checkpoint()).rejects.toBeInstanceOf(UserError);
  mkdirSync(directory);
  const store = await open(directory);
  onTestFinished(() => store.close());
  await background.checkpoint();
});

test("a source is compacted later if the file was temporarily unusable", async () => {
  const merge = vi.spyOn(Background.prototype, "merge");
  onTestFinished(() => merge.mockRestore());
  merge.mockImplementationOnce(() => {
    throw new UserError("store-unusable", "too many open files");
  });
  const store = await open();
  onTestFinished(() => store.close());
  await append(store, "sender", 4);
  await store.compactor.idle();
  expect(count(store, "blocks WHERE level = 1")).toBe(0);
  await store.compact();
  expect(count(store, "blocks WHERE level = 1")).toBeGreaterThan(0);
});

test("closing a store during a merge changes nothing", async () => {
  const directory = temporaryDirectory();
  const store = await open(directory);
  const samples = await append(store, "sender", 4);
  await store.close();
  const again = openCompactedStore(directory, { now: () => 1_000_000 });
  expect(await stored(again)).toEqual(expectedSeries(samples));
  expect(await collect(again.verify())).toEqual([]);
  await again.close();
});
