import { randomBytes } from "node:crypto";
import path from "node:path";
import { createKeyRing } from "../../../src/catalogue/keys.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../../../src/store/sqlite/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeDirectory } from "../../../src/data-directory/directory.ts";
import { loadTest } from "../../support/load-tests.ts";

/** The store within a data directory. */
export const STORE_FILE = "tachograph.sqlite";

/** Opens the store of a data directory as the program does. */
export function openFolder(
  folder: string,
  options: Partial<SqliteStoreOptions> = {},
): Promise<Store> {
  return openSqliteStore(path.join(folder, STORE_FILE), { now: Date.now, ...options });
}

/**
 * Makes a data directory with the load test `run`, which `fill` may fill. Returns a key with all scopes.
 */
export async function makeFolder(
  folder: string,
  fill: (store: Store) => Promise<unknown> = async () => undefined,
): Promise<string> {
  makeDirectory(folder);
  const store = await openFolder(folder);
  try {
    await store.loadTests.create(loadTest());
    await fill(store);
    const ring = createKeyRing(store.keys, {
      now: Date.now,
      randomBytes,
      upkeepFailed(error) {
        throw error;
      },
    });
    return await ring.create({ name: "faults", scopes: ["admin"], expiresAtMs: undefined });
  } finally {
    await store.close();
  }
}
