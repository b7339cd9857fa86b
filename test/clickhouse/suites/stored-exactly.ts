import { expect } from "vitest";
import { openMemoryStore } from "../../support/memory-store/memory-store.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { answersOf } from "../../support/answers-of-store.ts";
import { snapshotOf } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

/** Expects a store with these batches to answer like the memory store. */
export async function oracleOf(
  loadTestIds: readonly string[],
  batches: readonly PointBatch[],
): Promise<Store> {
  const oracle = openMemoryStore();
  for (const id of loadTestIds) await oracle.loadTests.create(loadTest(id));
  for (const batch of batches) await oracle.points.append(batch);
  return oracle;
}

/** All values equal the oracle's, and all have the same revision. */
export async function expectEqual(
  stores: readonly Store[],
  oracle: Store,
  loadTestIds: readonly string[],
): Promise<void> {
  for (const id of loadTestIds) {
    const expected = await answersOf(oracle, id);
    const revisions = new Set<string>();
    for (const store of stores) {
      expect(await answersOf(store, id)).toEqual(expected);
      expect(await figuresOf(store, id)).toEqual(await figuresOf(oracle, id));
      revisions.add(await revisionOf(store, id));
    }
    expect(revisions.size).toBe(1);
  }
}

async function revisionOf(store: Store, loadTestId: string): Promise<string> {
  const snapshot = await snapshotOf(store, loadTestId);
  snapshot.release();
  return snapshot.revision;
}

/** The list entry without its times of arrival. */
async function figuresOf(store: Store, loadTestId: string): Promise<unknown> {
  const summary = await store.loadTests.find(loadTestId);
  return { ...summary, lastDataAtMs: undefined };
}
