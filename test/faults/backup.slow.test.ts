/**
 * Backups, intact and damaged, and stores restored from them. For backups under load see runs/back-up.ts.
 */

import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { backUp, restore } from "../../src/store/sqlite/file/backup.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { UserError } from "../../src/model/errors.ts";
import type { Store } from "../../src/store/store.ts";
import { batchOf, collect, sample, stored } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";

/** Damages every `STEP`th byte. */
const STEP = Number(process.env["TACHOGRAPH_DAMAGE_STEP"] ?? 997);

function fileIn(directory: string): string {
  return path.join(directory, "store.db");
}

function open(file: string): Promise<Store> {
  return openSqliteStore(file, { now: () => 1_000_000 });
}

/** A directory with a store of one batch. */
async function smallStore(): Promise<string> {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create(loadTest());
  await store.points.append(batchOf([sample("GET /cart", 1_700_000_000)]));
  return directory;
}

test("a restored store has other revisions than its original", async () => {
  const directory = await smallStore();
  const copy = temporaryDirectory();
  backUp(fileIn(directory), path.join(copy, "backup"));
  await restore(path.join(copy, "backup"), fileIn(copy), open);
  const [one, other] = [await openStoreIn(directory), await openStoreIn(copy)];
  expect(await stored(other)).toEqual(await stored(one));
  const revisions = [one, other].map(
    async ({ points }) => (await points.snapshot("run"))?.revision,
  );
  const [revision, otherRevision] = await Promise.all(revisions);
  expect(otherRevision).not.toBe(revision);
});

test("neither backup nor restore replaces an existing file", async () => {
  const directory = await smallStore();
  const backup = path.join(directory, "backup");
  backUp(fileIn(directory), backup);
  const bytes = readFileSync(backup);
  expect(() => backUp(fileIn(directory), backup)).toThrow("already exists");
  await expect(restore(backup, fileIn(directory), open)).rejects.toThrow("already exists");
  expect(readFileSync(backup).equals(bytes)).toBe(true);
  expect(existsSync(`${backup}.partial`)).toBe(false);
});

test("a restore is rejected where a killed process left a log", async () => {
  const directory = await smallStore();
  const killed = temporaryDirectory();
  copyFileSync(`${fileIn(directory)}-wal`, `${fileIn(killed)}-wal`);
  backUp(fileIn(directory), path.join(killed, "backup"));
  const restoring = restore(path.join(killed, "backup"), fileIn(killed), open);
  await expect(restoring).rejects.toThrow(`${fileIn(killed)}-wal: it already exists`);
  expect(existsSync(fileIn(killed))).toBe(false);
});

test("a restore ignores the files of a killed restore", async () => {
  const backup = path.join(temporaryDirectory(), "backup");
  const empty = temporaryDirectory();
  await (await openStoreIn(empty)).close();
  backUp(fileIn(empty), backup);
  const directory = await smallStore();
  const target = temporaryDirectory();
  copyFileSync(`${fileIn(directory)}-wal`, `${fileIn(target)}.partial-wal`);
  await restore(backup, fileIn(target), open);
  expect(await (await openStoreIn(target)).loadTests.list()).toEqual([]);
});

test("a damaged backup is rejected or restores the original data", async () => {
  const directory = await smallStore();
  const backup = path.join(directory, "backup");
  backUp(fileIn(directory), backup);
  const held = await contentsOf(fileIn(directory));
  const bytes = readFileSync(backup);
  const outcomes = new Map<string, number>();
  for (let at = 4096; at < bytes.length; at += STEP) {
    flip(backup, at, bytes);
    const outcome = await restoredAs(backup, path.join(directory, `restored ${at}`), held);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    writeFileSync(backup, bytes);
  }
  expect(outcomes.get("refused")).toBeGreaterThan(0);
  expect([...outcomes.keys()].filter((each) => each !== "the same")).toEqual(["refused"]);
});

/** The result of restoring a damaged backup. */
async function restoredAs(backup: string, target: string, held: unknown): Promise<string> {
  try {
    await restore(backup, target, open);
  } catch (error) {
    const isRefused =
      error instanceof UserError && ["damaged-store", "store-unusable"].includes(error.code);
    if (!isRefused) throw error;
    return existsSync(target) ? "refused, and there all the same" : "refused";
  }
  return isDeepStrictEqual(await contentsOf(target), held) ? "the same" : "something else";
}

async function contentsOf(file: string) {
  const store = await open(file);
  const contents = { series: await stored(store), tests: await store.loadTests.list() };
  await store.close();
  return contents;
}

function flip(file: string, at: number, bytes: Buffer): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.of((bytes[at] as number) ^ 16), 0, 1, at);
  closeSync(descriptor);
}

test("a file that is not a backup is rejected", async () => {
  const directory = await smallStore();
  const text = path.join(directory, "notes.txt");
  writeFileSync(text, "no store");
  const target = path.join(directory, "restored");
  await expect(restore(text, target, open)).rejects.toMatchObject({
    code: "damaged-store",
    message: `cannot restore ${text}: file is not a database`,
  });
  await expect(restore(path.join(directory, "none"), target, open)).rejects.toThrow("ENOENT");
  const inUse = await openStoreIn(temporaryDirectory());
  await inUse.close();
  await expect(restore(fileIn(directory), target, open)).rejects.toThrow("a store in use");
  expect(existsSync(target)).toBe(false);
  expect(await collect((await openStoreIn(directory)).verify())).toEqual([]);
});
