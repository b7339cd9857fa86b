import { beforeEach, expect, test } from "vitest";
import { batchOf, published, requestsByLabel, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { failureTable, userTable } from "../../test/support/plain-details.ts";
import { UserError } from "../model/errors.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import type { ImportTarget } from "./ensure-load-test.ts";
import { StagedImport } from "./staged-import.ts";

const NEW = { id: "run", name: "Run", createdAtMs: 5 };
const { labels, points } = batchOf([sample("a", 1)]);
const MEASURED = { labels, points, failures: failureTable([]), users: userTable([]) };
const FILE = published("a");

let store: Store;
/** Appends and discards in order. */
let done: string[];
/** Errors of the next appends. */
let failures: Error[];

beforeEach(() => {
  store = openMemoryStore();
  done = [];
  failures = [];
});

function begin(): StagedImport {
  const append: ImportTarget["points"]["append"] = (batch) => {
    done.push(`append ${batch.sequence}`);
    const failure = failures.shift();
    return failure === undefined ? store.points.append(batch) : Promise.reject(failure);
  };
  const discard: ImportTarget["points"]["discard"] = async (...of) => {
    await store.points.discard(...of);
    done.push("discard");
  };
  const target = { ...store, points: { ...store.points, append, discard } };
  return new StagedImport(target, NEW);
}

test("batches are numbered from 0 and visible once published", async () => {
  const staged = begin();
  await staged.begin();
  for (let batch = 0; batch < 3; batch++) await staged.append(MEASURED);
  expect(done).toEqual(["append 0", "append 1", "append 2"]);
  expect(await requestsByLabel(store)).toEqual([]);
  expect(await staged.publish(FILE, [])).toBe(false);
  expect(await requestsByLabel(store)).toEqual([["a", 3]]);
});

test("a load test created for the import is removed with it", async () => {
  const staged = begin();
  await staged.begin();
  await staged.append(MEASURED);
  await staged.takeBack();
  expect(done).toEqual(["append 0", "discard"]);
  expect(await store.loadTests.find("run")).toBeUndefined();
});

test("an existing load test stays", async () => {
  await store.loadTests.create(loadTest());
  const staged = begin();
  await staged.begin();
  await staged.append(MEASURED);
  await staged.takeBack();
  expect(done).toEqual(["append 0", "discard"]);
  expect(await store.loadTests.find("run")).toMatchObject({ name: "name of run" });
});

test("a load test removed by another import before the first batch is created again", async () => {
  const staged = begin();
  await staged.begin();
  await store.loadTests.deleteUnused("run");
  await staged.append(MEASURED);
  expect(done).toEqual(["append 0", "append 0"]);
  await staged.publish(FILE, []);
  expect(await requestsByLabel(store)).toEqual([["a", 1]]);
});

test("a load test deleted after the first batch stays deleted", async () => {
  const staged = begin();
  await staged.begin();
  await staged.append(MEASURED);
  await store.loadTests.delete("run");
  await expect(staged.append(MEASURED)).rejects.toMatchObject({ code: "unknown-load-test" });
  expect(await store.loadTests.find("run")).toBeUndefined();
});

test.each([
  new UserError("storage-full", "the disk is full"),
  Object.assign(new Error("not ours"), { code: "unknown-load-test" }),
])("nothing is retried after %s", async (failure) => {
  const staged = begin();
  await staged.begin();
  failures = [failure];
  await expect(staged.append(MEASURED)).rejects.toBe(failure);
  expect(done).toEqual(["append 0"]);
});

test("a file whose batches another process has deleted is not published without them", async () => {
  const staged = begin();
  await staged.begin();
  await staged.append(MEASURED);
  await store.points.discard("run", staged.sourceId);
  await expect(staged.publish(FILE, [])).rejects.toMatchObject({ code: "source-incomplete" });
  expect(await store.points.sources("run")).toEqual([]);
});

test("discard resolves when the discard is done", async () => {
  const staged = begin();
  await staged.begin();
  await staged.discard();
  expect(done).toEqual(["discard"]);
});
