import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { batchOf, requestsByLabel, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { UserError } from "../model/errors.ts";
import { TooManyLabels } from "../model/label.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { PointBatch, Store } from "../store/store.ts";
import { decodeBatch } from "../wire/batch.ts";
import { zstdDecompressSync } from "node:zlib";
import type { RemoteTarget } from "./remote-target.ts";
import { Spool } from "./spool.ts";
import { openSpoolFolder } from "./spool-folder.ts";

let place = "";
let store: Store;
/** Thrown instead of sending. */
let down: Error | undefined;
const warned: string[] = [];

beforeEach(async () => {
  place = path.join(await mkdtemp(path.join(tmpdir(), "tachograph-spool-")), "spool");
  store = openMemoryStore();
  await store.loadTests.create(loadTest());
  down = undefined;
  warned.length = 0;
});

afterEach(() => rm(path.dirname(place), { recursive: true }));

function ifUp<Result>(act: () => Promise<Result>): Promise<Result> {
  return down === undefined ? act() : Promise.reject(down);
}

/** A server backed by the store, unless it is down. */
function remote(): RemoteTarget {
  const sendPacked: RemoteTarget["sendPacked"] = (loadTestId, packed) =>
    ifUp(() => store.points.append({ loadTestId, ...decodeBatch(zstdDecompressSync(packed)) }));
  return {
    loadTests: store.loadTests,
    points: { ...store.points, liveSources: (id) => ifUp(() => store.points.liveSources(id)) },
    sendPacked,
  };
}

async function open(bytesMax = 1e6): Promise<Spool> {
  const folder = await openSpoolFolder(place, 1);
  return Spool.open(remote(), folder, { bytesMax, warn: (message) => void warned.push(message) });
}

function batch(sequence: number, follows: number | "nothing"): PointBatch {
  return batchOf([sample("a", 1 + sequence)], { sequence, follows });
}

const UNREACHABLE = new UserError("server-unreachable", "cannot reach it");

test("a batch goes through the folder and leaves it when the server has it", async () => {
  const spool = await open();
  await spool.points.append(batch(0, "nothing"));
  await spool.points.append(batch(5, 0));
  expect(await spool.settle()).toBe(0);
  expect(await requestsByLabel(store)).toEqual([["a", 2]]);
  expect(await readdir(place)).toEqual([]);
});

test("unsent batches are kept and sent in order by the next process", async () => {
  down = UNREACHABLE;
  const first = await open();
  await first.points.append(batch(0, "nothing"));
  expect(await first.settle()).toBe(1);
  await expect(first.points.append(batch(5, 0))).rejects.toBe(UNREACHABLE);
  expect(await readdir(place)).toHaveLength(1);
  down = undefined;
  const second = await open();
  expect(await second.points.liveSources("run")).toEqual([{ sourceId: "sender", lastSequence: 0 }]);
  await second.points.append(batch(5, 0));
  expect(await second.settle()).toBe(0);
  expect(await requestsByLabel(store)).toEqual([["a", 2]]);
});

test("batches that the server has are not sent again, and the source continues after them", async () => {
  down = UNREACHABLE;
  const first = await open();
  await first.points.append(batch(0, "nothing"));
  await first.settle();
  // Its acknowledgement was lost.
  await store.points.append(batch(0, "nothing"));
  down = undefined;
  const second = await open();
  expect(await second.points.liveSources("run")).toEqual([{ sourceId: "sender", lastSequence: 0 }]);
  expect(await second.settle()).toBe(0);
  expect(await readdir(place)).toEqual([]);
});

test("batches that do not continue the server's state are set aside, and the file is read again", async () => {
  down = UNREACHABLE;
  const first = await open();
  await first.points.append(batch(9, 7));
  await first.settle();
  await store.points.append(batch(5, "nothing"));
  down = undefined;
  const second = await open();
  expect(await second.points.liveSources("run")).toEqual([{ sourceId: "sender", lastSequence: 5 }]);
  expect(await second.settle()).toBe(0);
  expect(warned.join()).toContain('set aside a waiting batch of load test "run"');
  expect((await readdir(place)).map((name) => path.extname(name))).toEqual([".refused"]);
});

test("a permanent rejection is reported to the sender and at the end", async () => {
  const spool = await open();
  down = new UserError("source-moved-on", "somebody else sends it");
  await spool.points.append(batch(0, "nothing"));
  await expect(spool.settle()).rejects.toBe(down);
  await expect(spool.points.append(batch(5, 0))).rejects.toBe(down);
});

test("a full spool makes its writer wait until there is room", async () => {
  const gate = Promise.withResolvers<void>();
  const slow: RemoteTarget = {
    ...remote(),
    sendPacked: async (...sent) => {
      await gate.promise;
      return remote().sendPacked(...sent);
    },
  };
  const folder = await openSpoolFolder(place, 1);
  const spool = await Spool.open(slow, folder, { bytesMax: 1, warn: () => undefined });
  await spool.points.append(batch(0, "nothing"));
  let isTaken = false;
  const second = spool.points.append(batch(5, 0)).then(() => (isTaken = true));
  await folder.list();
  expect(isTaken).toBe(false);
  gate.resolve();
  await second;
  expect(await spool.settle()).toBe(0);
  expect(await requestsByLabel(store)).toEqual([["a", 2]]);
});

test("a damaged file of the spool is set aside and reported", async () => {
  down = UNREACHABLE;
  const first = await open();
  await first.points.append(batch(0, "nothing"));
  await first.settle();
  const [name = ""] = await readdir(place);
  const content = await readFile(path.join(place, name));
  content[content.length - 3] = (content.at(-3) ?? 0) ^ 1;
  await writeFile(path.join(place, name), content);
  await writeFile(path.join(place, "half.batch.7.part"), "half");
  down = undefined;
  const second = await open();
  expect(await second.settle()).toBe(0);
  expect(warned.join()).toContain("is damaged and was set aside");
  expect(await second.points.liveSources("run")).toEqual([]);
});

test("an invalid spool path is rejected with a message", async () => {
  await writeFile(place, "a file");
  const refusal = { code: "bad-setting", message: expect.stringContaining(place) };
  await expect(openSpoolFolder(path.join(place, "x"), 1)).rejects.toMatchObject(refusal);
});

function batchWith(
  sequence: number,
  follows: number | "nothing",
  ...labels: readonly string[]
): PointBatch {
  const samples = labels.map((label) => sample(label, 1 + sequence));
  return batchOf(samples, { sequence, follows });
}

test("labels over the server's limit are sent under (other), however often sending restarts", async () => {
  store = openMemoryStore({ labelLimit: { max: 2 } });
  await store.loadTests.create(loadTest());
  const spool = await open();
  await spool.points.append(batchWith(0, "nothing", "a", "b", "c"));
  await spool.points.append(batchWith(1, 0, "b", "c", "d"));
  expect(await spool.settle()).toBe(0);
  const expected = [
    ["(other)", 3],
    ["a", 1],
    ["b", 2],
  ];
  expect(await requestsByLabel(store)).toEqual(expected);
  expect(warned).toEqual([
    "run run: 3 requests of labels beyond the 2 that a load test may have (--labels-max) count under (other)",
  ]);

  // The acknowledgement of this batch is lost, and so is the process.
  const lossy: RemoteTarget = {
    ...remote(),
    async sendPacked(...sent) {
      await remote().sendPacked(...sent);
      throw UNREACHABLE;
    },
  };
  const folder = await openSpoolFolder(place, 1);
  const second = await Spool.open(lossy, folder, { bytesMax: 1e6, warn: () => undefined });
  await second.points.append(batchWith(2, 1, "a", "e"));
  expect(await second.settle()).toBe(1);
  const third = await open();
  expect(await third.points.liveSources("run")).toEqual([{ sourceId: "sender", lastSequence: 2 }]);
  expect(await third.settle()).toBe(0);
  expect(await requestsByLabel(store)).toEqual([
    ["(other)", 4],
    ["a", 2],
    ["b", 2],
  ]);
  // Another process that shares the folder still has it.
  const fourth = await open();
  await fourth.points.append(batchWith(2, 1, "a", "e"));
  expect(await fourth.settle()).toBe(0);
  expect(await requestsByLabel(store)).toEqual([
    ["(other)", 4],
    ["a", 2],
    ["b", 2],
  ]);
});

test("a rejection that names labels of no batch ends the sending", async () => {
  const spool = await open();
  down = new TooManyLabels(["z"], 1, "no room");
  await spool.points.append(batch(0, "nothing"));
  await expect(spool.settle()).rejects.toBe(down);
});
