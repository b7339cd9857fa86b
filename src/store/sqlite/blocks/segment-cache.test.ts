import path from "node:path";
import { expect, test, vi } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { openFile } from "../file.ts";
import { GC_GRACE_MS } from "./block-rows.ts";
import { SegmentCache } from "./segment-cache.ts";

test("a deleted block is cached no longer", async () => {
  const directory = temporaryDirectory();
  let nowMs = 1_000_000;
  const store = await openStoreIn(directory, { now: () => nowMs });
  await store.loadTests.create(loadTest());
  await store.points.append(batchOf([sample("a", 100)]));
  const { reading, ...file } = openFile(path.join(directory, "store.db"), {
    now: () => nowMs,
    quickCheckBytesMax: 0,
  });
  const [row] = reading.blocks.visible(1, Number.MAX_SAFE_INTEGER);
  if (row === undefined) throw new Error("no block");
  const read = vi.spyOn(reading.blocks, "segment");
  const cache = new SegmentCache(reading.blocks);
  for (let times = 0; times < 3; times++) cache.plain(row);
  expect(read).toHaveBeenCalledTimes(1);
  cache.forget(row.number);
  cache.plain(row);
  expect(read).toHaveBeenCalledTimes(2);
  await file.close();

  const forget = vi.spyOn(SegmentCache.prototype, "forget");
  await store.loadTests.create(loadTest("other"));
  await store.loadTests.delete("run");
  nowMs += GC_GRACE_MS + 1;
  // Deletes what is due, too.
  await store.points.discard("other", "sender");
  expect(forget.mock.calls).toEqual([[row.number]]);
});
