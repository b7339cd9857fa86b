import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import type { Store } from "../../store.ts";

async function revisionAfter(store: Store, sequence: number): Promise<string> {
  const samples = [sample(`endpoint ${sequence}`, 10 + sequence)];
  await store.points.append(batchOf(samples, { sequence }));
  const snapshot = await store.points.snapshot("run");
  snapshot?.release();
  return snapshot?.revision ?? "";
}

/** The files as they are on the disk if the power is cut now. */
function cutPower(directory: string): string {
  const cut = temporaryDirectory();
  for (const name of ["store.db", "store.db-wal"]) {
    copyFileSync(path.join(directory, name), path.join(cut, name));
  }
  return cut;
}

test("a revision that was seen and lost in a power cut does not come again", async () => {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create(loadTest("run"));
  const kept = await revisionAfter(store, 0);
  const seen: string[] = [];
  // Each process loses its first commit, which readers saw.
  let cut = cutPower(directory);
  for (let sequence = 1; sequence < 5; sequence++) {
    const next = cutPower(cut);
    seen.push(await revisionAfter(await openStoreIn(cut), sequence));
    cut = next;
  }
  expect(new Set([kept, ...seen]).size).toBe(5);
  const [before, ...after] = [kept, ...seen].map((text) => Number(text.split("-").at(-1)));
  expect(Math.min(...after)).toBeGreaterThan(before ?? 0);
});

test("where nothing can be lost, revisions go on by one", async () => {
  const directory = temporaryDirectory();
  const first = await openStoreIn(directory);
  await first.loadTests.create(loadTest("run"));
  const before = await revisionAfter(first, 0);
  await first.close();
  expect(existsSync(path.join(directory, "store.db-wal"))).toBe(false);
  const after = await revisionAfter(await openStoreIn(directory), 1);
  const [from, to] = [before, after].map((text) => Number(text.split("-").at(-1)));
  expect(to).toBe((from ?? 0) + 1);
});
