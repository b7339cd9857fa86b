import type { PointBatch, Store } from "../../src/store/store.ts";
import { loadTest } from "./load-tests.ts";
import { openMemoryStore } from "./memory-store/memory-store.ts";

/** A store in memory with these batches in their load tests; without any, the load test `run` is empty. */
export async function memoryStoreWith(...batches: readonly PointBatch[]): Promise<Store> {
  const store = openMemoryStore();
  const ids = new Set(batches.map(({ loadTestId }) => loadTestId));
  for (const id of ids.size === 0 ? ["run"] : ids) await store.loadTests.create(loadTest(id));
  for (const batch of batches) await store.points.append(batch);
  return store;
}
