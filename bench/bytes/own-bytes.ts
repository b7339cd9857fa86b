import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { COMPLETE } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import type { PointSet } from "./point-sets.ts";

const DAY_MS = 86_400_000;

/** Bytes of a store's file that holds the points, as an import leaves it. */
export async function ownBytes(set: PointSet, scratch: string): Promise<number> {
  return statSync(await storeOf(set, scratch)).size;
}

/** Bytes of the blocks in it alone: without labels, rows and pages. */
export async function blockBytes(set: PointSet, scratch: string): Promise<number> {
  const database = new DatabaseSync(await storeOf(set, scratch));
  const bytes = "sum(length(plain) + coalesce(length(distribution), 0))";
  const stored = database.prepare(`SELECT ${bytes} AS stored FROM segments`).get()?.["stored"];
  database.close();
  return Number(stored);
}

async function storeOf(set: PointSet, scratch: string): Promise<string> {
  const file = path.join(scratch, `own-${set.name}.sqlite`);
  if (existsSync(file)) return file;
  const store = await openSqliteStore(file, { now: Date.now });
  await store.loadTests.create(loadTest(set.name));
  const source = { loadTestId: set.name, sourceId: "file" };
  for (const [sequence, points] of set.batches.entries()) {
    const batch = { visibility: "staged", sequence, labels: set.labels, points } as const;
    await store.points.append({ ...source, ...batch });
  }
  const about = { name: "file", format: "made", sizeBytes: 1, digest: "0", quality: COMPLETE };
  await store.points.publish({ ...source, ...about });
  await store.close();
  // Blocks that others took the place of go when no reader can want them any more.
  const later = await openSqliteStore(file, { now: () => Date.now() + DAY_MS });
  await later.close();
  return file;
}
