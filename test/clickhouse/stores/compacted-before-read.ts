import type { ClickHouseStore } from "../../../src/store/clickhouse/store.ts";

/** The same store, which makes a merged copy of a load test whenever one begins to read it. */
export function compactedBeforeRead(store: ClickHouseStore): ClickHouseStore {
  const { points } = store;
  const compacted = async (loadTestId: string): Promise<void> => {
    if ((await store.loadTests.find(loadTestId)) === undefined) return;
    const outcome = await store.compactNow(loadTestId);
    if (outcome === "elsewhere") throw new Error("nobody else seals");
  };
  return {
    ...store,
    points: {
      ...points,
      async snapshot(loadTestId) {
        await compacted(loadTestId);
        return points.snapshot(loadTestId);
      },
      async snapshotBySource(loadTestId) {
        await compacted(loadTestId);
        return points.snapshotBySource(loadTestId);
      },
    },
  };
}
