import { onTestFinished } from "vitest";
import type { ClusterSettings } from "../../../src/store/clickhouse/cluster/settings.ts";
import { openClickHouseStore } from "../../../src/store/clickhouse/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeDatabase } from "./fresh-database.ts";

/** Several stores of one new database, like several processes; removed after the test. */
export async function openStores(servers: ClusterSettings, count: number): Promise<Store[]> {
  const database = await makeDatabase(servers);
  const stores: Store[] = [];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await database.drop();
  });
  while (stores.length < count) {
    stores.push(await openClickHouseStore(database.settings, { now: Date.now }));
  }
  return stores;
}
