import type { ClickHouseStore } from "../../../src/store/clickhouse/store.ts";

/** The same store, which makes a merged copy of a load test whenever one begins to read it. */
export function sealedBeforeRead(store: ClickHouseStore): ClickHouseStore {
  const { points } = store;
  const sealed = async (loadTestId: string): Promise<void> => {
    if ((await store.loadTests.find(loadTestId)) === undefined) return;
    const outcome = await store.sealNow(loadTestId);
    if (outcome === "elsewhere") throw new Error("nobody else seals");
  };
  return {
    ...store,
    points: {
      ...points,
      async snapshot(loadTestId) {
        await sealed(loadTestId);
        return points.snapshot(loadTestId);
      },
      async snapshotBySource(loadTestId) {
        await sealed(loadTestId);
        return points.snapshotBySource(loadTestId);
      },
    },
  };
}
