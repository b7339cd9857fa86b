import type { ClickHouseStore } from "../../../src/store/clickhouse/store.ts";

/** A store that compacts a load test each time it opens a snapshot of it. */
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
