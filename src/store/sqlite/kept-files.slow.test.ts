/** What the file has of kept files: bytes once, none of those that go, and none that a killed process left. */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";
import type { Store } from "../store.ts";
import { backUp, restore } from "./file/backup.ts";
import { openSqliteStore } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const BYTES = Buffer.alloc(3_000_000, "kept ");

async function openWithFiles(directory: string): Promise<Store> {
  const store = await openStoreIn(directory, { now: Date.now });
  for (const id of ["one", "two"]) {
    await store.loadTests.create(loadTest(id));
    const file = store.files.begin({ loadTestId: id, id: "f", name: "f" });
    await file.write(BYTES);
    await file.finish();
  }
  return store;
}

function counting(directory: string) {
  const database = new DatabaseSync(path.join(directory, "store.db"), { readOnly: true });
  onTestFinished(() => database.close());
  return (table: string) =>
    database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"];
}

async function bytesIn(store: Store, id: string): Promise<Buffer> {
  const found = await store.files.find(id, "f");
  return Buffer.concat(await Array.fromAsync(found?.read() ?? []));
}

test("equal bytes are stored once, and deleted with the last file when the store is next opened", async () => {
  const directory = temporaryDirectory();
  const store = await openWithFiles(directory);
  const count = counting(directory);
  await store.loadTests.delete("one");
  await store.close();
  const reopened = await openStoreIn(directory, { now: Date.now });
  expect([count("contents"), count("content_chunks"), count("files")]).toEqual([1, 3, 1]);
  expect((await bytesIn(reopened, "two")).equals(BYTES)).toBe(true);
  await reopened.loadTests.delete("two");
  await reopened.close();
  await (await openStoreIn(directory, { now: Date.now })).close();
  expect([count("contents"), count("content_chunks"), count("files")]).toEqual([0, 0, 0]);
});

test("a killed process leaves bytes that nobody sees, and that go after a day", async () => {
  const directory = temporaryDirectory();
  await (await openWithFiles(directory)).close();
  const script = path.join(import.meta.dirname, "../../../test/faults/keep-child.ts");
  const child = spawn(process.execPath, [script, path.join(directory, "store.db")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const count = counting(directory);
  const store = await openStoreIn(directory, { now: Date.now });
  expect(count("contents")).toBe(2);
  expect(count("content_chunks")).toBeGreaterThan(3);
  expect(await store.files.list("one")).toHaveLength(1);
  expect(await Array.fromAsync(store.verify())).toEqual([]);
  await store.close();
  await (await openStoreIn(directory, { now: () => Date.now() + 2 * DAY_MS })).close();
  expect([count("contents"), count("content_chunks")]).toEqual([1, 3]);
});

test("a file whose bytes were given up after a day is not acknowledged", async () => {
  const directory = temporaryDirectory();
  const store = await openWithFiles(directory);
  const writer = store.files.begin({ loadTestId: "one", name: "slow" });
  const count = counting(directory);
  // All of it is stored before it is finished.
  await writer.write(randomBytes(8 * 1024 * 1024));
  await vi.waitUntil(() => count("content_chunks") === 3 + 8, { timeout: 30_000 });
  await (await openStoreIn(directory, { now: () => Date.now() + 2 * DAY_MS })).close();
  await expect(writer.finish()).rejects.toThrow("deleted");
  expect(await store.files.list("one")).toHaveLength(1);
  await store.close();
});

function open(file: string): Promise<Store> {
  return openSqliteStore(file, { now: Date.now });
}

test("a backup has the files, and damaged bytes are found", async () => {
  const directory = temporaryDirectory();
  const store = await openWithFiles(directory);
  const backup = path.join(directory, "backup");
  backUp(path.join(directory, "store.db"), backup);
  await store.close();
  const restored = path.join(temporaryDirectory(), "store.db");
  await restore(backup, restored, open);
  const copy = await open(restored);
  expect((await bytesIn(copy, "one")).equals(BYTES)).toBe(true);
  await copy.close();
  const database = new DatabaseSync(restored);
  database.exec(
    "UPDATE content_chunks SET bytes = CAST(x'00' || substr(bytes, 2) AS BLOB) WHERE sequence = 1",
  );
  database.close();
  const damaged = await open(restored);
  onTestFinished(() => damaged.close());
  const found = await Array.fromAsync(damaged.verify());
  expect(found.map(({ loadTestId, message }) => [loadTestId, message])).toEqual(
    ["one", "two"].map((id) => [
      id,
      'the kept file "f" is damaged: its part from byte 1048576 on is damaged',
    ]),
  );
  await expect(bytesIn(damaged, "one")).rejects.toMatchObject({ code: "damaged-store" });
});
