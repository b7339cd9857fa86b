import { onTestFinished } from "vitest";
import { type ClickHouseStore, openClickHouseStore } from "../../../src/store/clickhouse/store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { OpenEmptyStore } from "../../conformance/store.ts";
import { makeDatabase } from "./fresh-database.ts";
import { type Kind, serversForTests } from "./servers-for-tests.ts";

/** Stores for the conformance suite, each with its own database on the same servers. */
export function openConformanceStore(
  kind: Kind,
  arranged: (store: ClickHouseStore) => Store = (store) => store,
): OpenEmptyStore {
  const servers = serversForTests(kind);
  return async ({ now = Date.now, labelLimit } = {}) => {
    const database = await makeDatabase(servers());
    const store = await openClickHouseStore(database.settings, { now, labelLimit });
    onTestFinished(async () => {
      await store.close();
      await database.drop();
    });
    return arranged(store);
  };
}
