import { setImmediate as nextTurn } from "node:timers/promises";
import { zstdDecompressSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { batchOf, requestsByLabel, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { MemoryFolder } from "../../test/support/memory-folder.ts";
import { UserError } from "../model/errors.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { PointBatch, Store } from "../store/store.ts";
import { decodeBatch } from "../wire/batch.ts";
import type { RemoteTarget } from "./remote-target.ts";
import { Spool } from "./spool.ts";

let store: Store;
let folder: MemoryFolder;
/** The server accepts batches once this is fulfilled. */
let gate: Promise<unknown>;
const warned: string[] = [];

beforeEach(async () => {
  store = openMemoryStore();
  await store.loadTests.create(loadTest("run"));
  await store.loadTests.create(loadTest("other"));
  folder = new MemoryFolder();
  gate = Promise.resolve();
  warned.length = 0;
});

function remote(): RemoteTarget {
  return {
    loadTests: store.loadTests,
    points: store.points,
    async sendPacked(loadTestId, packed) {
      await gate;
      return store.points.append({ loadTestId, ...decodeBatch(zstdDecompressSync(packed)) });
    },
  };
}

function open(bytesMax = 1e6): Promise<Spool> {
  return Spool.open(remote(), folder, { bytesMax, warn: (message) => void warned.push(message) });
}

function batch(
  sequence: number,
  follows: number | "nothing",
  about: Partial<PointBatch> = {},
): PointBatch {
  return batchOf([sample("a", 1 + sequence)], { ...about, sequence, follows });
}

const UNREACHABLE = new UserError("server-unreachable", "cannot reach it");

/** Leaves `batches` behind as an earlier process. */
async function leave(...batches: readonly PointBatch[]): Promise<void> {
  const shut = Promise.withResolvers<void>();
  gate = shut.promise;
  const spool = await open();
  for (const each of batches) await spool.points.append(each);
  shut.reject(UNREACHABLE);
  expect(await spool.settle()).toBe(batches.length);
  gate = Promise.resolve();
  warned.length = 0;
  folder.reads.length = 0;
}

/** Enough event loop turns for all work that is not blocked. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn();
}

test("load tests come from the server, and staged data go straight to it", async () => {
  const spool = await open();
  expect(spool.loadTests).toBe(store.loadTests);
  const staged = batchOf([sample("a", 1)], { visibility: "staged" });
  expect(await spool.points.append(staged)).toEqual({ duplicate: false });
  expect(await spool.points.append(staged)).toEqual({ duplicate: true });
  expect(folder.puts).toEqual([]);
});

test("a live batch must state its predecessor", async () => {
  const spool = await open();
  expect(await spool.points.append(batch(0, "nothing"))).toEqual({ duplicate: false });
  const lost = batchOf([sample("a", 2)], { sequence: 5 });
  await expect(spool.points.append(lost)).rejects.toThrow("does not say what it follows");
  expect(folder.puts).toHaveLength(1);
});

test("leftovers of an earlier process are sent unasked, source by source", async () => {
  const other = { loadTestId: "other", sourceId: "second" };
  await leave(batch(0, "nothing"), batch(5, 0), batch(0, "nothing", other));
  const spool = await open();
  expect(await spool.settle()).toBe(0);
  expect(await requestsByLabel(store)).toEqual([["a", 2]]);
  expect(await requestsByLabel(store, "other")).toEqual([["a", 1]]);
  expect(folder.files.size).toBe(0);
  expect(warned).toEqual([]);
});

test("a load test lists its own sources only, including waiting batches", async () => {
  const spool = await open();
  const shut = Promise.withResolvers<void>();
  gate = shut.promise;
  await spool.points.append(batch(3, "nothing"));
  await spool.points.append(batch(4, "nothing", { sourceId: "second" }));
  await spool.points.append(batch(5, "nothing", { loadTestId: "other", sourceId: "third" }));
  expect(await spool.points.liveSources("run")).toEqual([
    { sourceId: "sender", lastSequence: 3 },
    { sourceId: "second", lastSequence: 4 },
  ]);
  expect(await spool.points.liveSources("other")).toEqual([{ sourceId: "third", lastSequence: 5 }]);
  shut.resolve();
  expect(await spool.settle()).toBe(0);
});

test("a batch of which little waits is sent from memory", async () => {
  const spool = await open();
  await spool.points.append(batch(0, "nothing"));
  await spool.settle();
  expect(folder.reads).toEqual([]);
});

test("a file sent by another process meanwhile is skipped", async () => {
  await leave(batch(0, "nothing"), batch(5, 0));
  await store.points.append(batch(0, "nothing"));
  const { points } = remote();
  const liveSources: Store["points"]["liveSources"] = async (id) => {
    const found = await points.liveSources(id);
    folder.files.clear();
    await store.points.append(batch(5, 0));
    return found;
  };
  const target = { ...remote(), points: { ...points, liveSources } };
  const warn = (message: string): void => void warned.push(message);
  const spool = await Spool.open(target, folder, { bytesMax: 1e6, warn });
  expect(await spool.settle()).toBe(0);
  expect(warned).toEqual([]);
  expect(await requestsByLabel(store)).toEqual([["a", 2]]);
});

test("a file removed after listing does not count as damaged", async () => {
  await leave(batch(0, "nothing"));
  folder.read = async () => {
    folder.files.clear();
    return undefined;
  };
  expect(await (await open()).settle()).toBe(0);
  expect([warned, folder.aside]).toEqual([[], []]);
});

test("a file damaged while it waits is set aside and reported", async () => {
  await leave(batch(0, "nothing"));
  const [name = ""] = folder.files.keys();
  const { points } = remote();
  const liveSources: Store["points"]["liveSources"] = (id) => {
    folder.files.set(name, Uint8Array.of(1, 2, 3));
    return points.liveSources(id);
  };
  const target = { ...remote(), points: { ...points, liveSources } };
  const warn = (message: string): void => void warned.push(message);
  const spool = await Spool.open(target, folder, { bytesMax: 1e6, warn });
  expect(await spool.settle()).toBe(0);
  expect(warned).toEqual(['set aside a waiting batch of load test "run": its file is damaged']);
  expect(folder.aside).toEqual([name]);
  await expect(spool.points.append(batch(5, 0))).rejects.toMatchObject({ code: "bad-batch" });
});

test("a file that was already damaged is set aside only once", async () => {
  await leave(batch(0, "nothing"));
  const [name = ""] = folder.files.keys();
  folder.files.set(name, Uint8Array.of(1, 2, 3));
  await open();
  expect(warned).toEqual([`${name} in the folder is damaged and was set aside`]);
  expect([folder.files.size, folder.aside]).toEqual([0, [name]]);
});

test("a source is withdrawn after its waiting batches were sent, and can start again", async () => {
  const spool = await open();
  const shut = Promise.withResolvers<void>();
  gate = shut.promise;
  await spool.points.append(batch(5, "nothing"));
  const withdrawn = spool.points.withdraw("run", "sender");
  await rest();
  shut.resolve();
  await withdrawn;
  expect(await requestsByLabel(store)).toEqual([]);
  expect(folder.files.size).toBe(0);
  expect(await spool.points.liveSources("run")).toEqual([]);
});

test("a source without waiting batches is withdrawn at once", async () => {
  await store.points.append(batch(0, "nothing"));
  const spool = await open();
  await spool.points.withdraw("run", "sender");
  expect(await requestsByLabel(store)).toEqual([]);
});

test("a source that cannot be sent is not withdrawn", async () => {
  await store.points.append(batch(0, "nothing"));
  const spool = await open();
  gate = Promise.reject(UNREACHABLE);
  await spool.points.append(batch(5, 0));
  await expect(spool.points.withdraw("run", "sender")).rejects.toBe(UNREACHABLE);
  expect(await requestsByLabel(store)).toEqual([["a", 1]]);
});

/** Total bytes of batch 0 and batch 5. */
async function bytesOfTwo(): Promise<number> {
  await leave(batch(0, "nothing"), batch(5, 0));
  folder.files.clear();
  const [first = 0, second = 0] = folder.puts.splice(0);
  return first + second;
}

test.each([
  ["fits exactly", 0, 2],
  ["is one byte too much", 1, 1],
])("a batch that %s is spooled or has to wait", async (_, missing, kept) => {
  const spool = await open((await bytesOfTwo()) - missing);
  const shut = Promise.withResolvers<void>();
  gate = shut.promise;
  await spool.points.append(batch(0, "nothing"));
  const second = spool.points.append(batch(5, 0));
  await rest();
  expect(folder.puts).toHaveLength(kept);
  shut.resolve();
  expect(await second).toEqual({ duplicate: false });
  expect(await spool.settle()).toBe(0);
  expect(await requestsByLabel(store)).toEqual([["a", 2]]);
});

test("leftovers count towards the limit, and waiting callers continue in order", async () => {
  const bytesMax = await bytesOfTwo();
  await leave(batch(0, "nothing"), batch(5, 0));
  const shut = Promise.withResolvers<void>();
  gate = shut.promise;
  const spool = await open(bytesMax);
  await rest();
  folder.puts.length = 0;
  const waiting = [batch(7, 5), batch(8, 7)].map((each) => spool.points.append(each));
  await rest();
  expect(folder.puts).toEqual([]);
  shut.resolve();
  await Promise.all(waiting);
  expect(await spool.settle()).toBe(0);
  expect(await requestsByLabel(store)).toEqual([["a", 4]]);
});

test("a caller that waits for room gets an error when the server is gone", async () => {
  const spool = await open(1);
  const shut = Promise.withResolvers<void>();
  gate = shut.promise;
  await spool.points.append(batch(0, "nothing"));
  const second = spool.points.append(batch(5, 0));
  shut.reject(UNREACHABLE);
  await expect(second).rejects.toBe(UNREACHABLE);
  expect(folder.puts).toHaveLength(1);
});
