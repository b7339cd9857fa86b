import { expect } from "vitest";
import { openMemoryStore } from "../../support/memory-store/memory-store.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { answersOf } from "../../support/answers-of-store.ts";
import { snapshotOf } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

/** What every store must answer that has these batches, as the store does that is right by its plainness. */
export async function oracleOf(
  loadTestIds: readonly string[],
  batches: readonly PointBatch[],
): Promise<Store> {
  const oracle = openMemoryStore();
  for (const id of loadTestIds) await oracle.loadTests.create(loadTest(id));
  for (const batch of batches) await oracle.points.append(batch);
  return oracle;
}

/** Every value that the stores answer is the oracle's, and all of them tell the same revision. */
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

/** What the list says, without when it came. */
async function figuresOf(store: Store, loadTestId: string): Promise<unknown> {
  const summary = await store.loadTests.find(loadTestId);
  return { ...summary, lastDataAtMs: undefined };
}
