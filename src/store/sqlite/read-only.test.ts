import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { answersOf } from "../../../test/support/answers-of-store.ts";
import { batchOf, collect, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";

const FILE = "store.db";
const READ_ONLY = { isReadOnly: true };

/** Creates a store, closed or as left by a kill, and returns its directory and contents. */
async function storeLeft(how: "closed" | "killed") {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create(loadTest());
  await store.points.append(batchOf([sample("a", 1, 10), sample("b", 2, 20)]));
  const answers = await answersOf(store);
  if (how === "closed") {
    await store.close();
    return { directory, answers };
  }
  const killed = path.join(directory, "killed");
  mkdirSync(killed);
  for (const suffix of ["", "-wal", "-shm"]) {
    copyFileSync(path.join(directory, FILE + suffix), path.join(killed, FILE + suffix));
  }
  return { directory: killed, answers };
}

function contentsOf(directory: string): readonly unknown[] {
  return readdirSync(directory).map((name) => [name, readFileSync(path.join(directory, name))]);
}

test.each(["closed", "killed"] as const)(
  "a store that was %s is read and verified without changing a byte",
  async (how) => {
    const { directory, answers } = await storeLeft(how);
    const before = contentsOf(directory);
    const store = await openStoreIn(directory, READ_ONLY);
    expect(await answersOf(store)).toEqual(answers);
    expect(await store.loadTests.list()).toMatchObject([{ id: "run" }]);
    expect(await collect(store.verify())).toEqual([]);
    await store.close();
    expect(contentsOf(directory)).toEqual(before);
  },
);

test("all writes are refused", async () => {
  const { directory } = await storeLeft("closed");
  const { loadTests, points, keys } = await openStoreIn(directory, READ_ONLY);
  const refusal = { code: "store-read-only" };
  const key = { name: "k", digest: "d", scopes: ["read"], createdAtMs: 0 } as const;
  await expect(loadTests.create(loadTest("other"))).rejects.toMatchObject(refusal);
  await expect(loadTests.update("run", { name: "n" })).rejects.toMatchObject(refusal);
  await expect(loadTests.delete("run")).rejects.toMatchObject(refusal);
  await expect(points.append(batchOf([sample("c", 3, 30)]))).rejects.toMatchObject(refusal);
  await expect(points.withdraw("run", "s")).rejects.toMatchObject(refusal);
  await expect(keys.add({ ...key, expiresAtMs: undefined })).rejects.toMatchObject(refusal);
});

test("the last use of a key is not recorded", async () => {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  const key = { name: "k", digest: "d", scopes: ["read"], createdAtMs: 0 } as const;
  await store.keys.add({ ...key, expiresAtMs: undefined });
  await store.close();
  const { keys } = await openStoreIn(directory, READ_ONLY);
  await keys.touch("d", 120_000);
  expect(await keys.find("d")).toMatchObject({ name: "k", lastUsedAtMs: undefined });
});

test("a log without its index is never ignored", async () => {
  const { directory } = await storeLeft("killed");
  rmSync(path.join(directory, `${FILE}-shm`));
  await expect(openStoreIn(directory, READ_ONLY)).rejects.toMatchObject({
    code: "store-unusable",
    message: expect.stringContaining("verify"),
  });
});

test("a log that another process starts is never ignored", async () => {
  const { directory } = await storeLeft("closed");
  const store = await openStoreIn(directory, READ_ONLY);
  const version = store.version();
  writeFileSync(path.join(directory, `${FILE}-wal`), "");
  const refusal = { code: "store-unusable", message: expect.stringContaining("start this") };
  expect(() => store.version()).toThrow(expect.objectContaining(refusal));
  await expect(store.loadTests.find("run")).rejects.toMatchObject(refusal);
  rmSync(path.join(directory, `${FILE}-wal`));
  expect(store.version()).toBe(version);
});
