/** Giving disk space back, in writes that are short whatever there is to give. */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { SqliteFile } from "./file.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";

/** Records of batches that are forgotten in one write. */
const BATCHES_AT_ONCE = 5000;
/** Free pages that are given back in one write: some milliseconds. */
const PAGES_AT_ONCE = 512;

/**
 * Takes what is dead out of the file as long as `isWanted`. The pages become free: what is written
 * next takes them.
 */
export async function takeOutDead(
  file: SqliteFile,
  snapshots: SnapshotKeeper,
  isWanted: () => boolean,
): Promise<void> {
  while (isWanted() && (await snapshots.buryOnce())) await nextTurn();
  while (isWanted() && file.reading.sources.anyRemoved()) {
    await file.queue.write(() => file.writing.sources.forgetSome(BATCHES_AT_ONCE));
    await nextTurn();
  }
}

/** Gives free pages back to the disk as long as `isWanted`. */
export async function giveBackPages(
  { queue, reader, writer }: SqliteFile,
  isWanted: () => boolean,
): Promise<void> {
  const free = reader.prepare("PRAGMA freelist_count");
  while (isWanted() && free.get()?.["freelist_count"] !== 0) {
    await queue.write(() => writer.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`));
    await nextTurn();
  }
}
