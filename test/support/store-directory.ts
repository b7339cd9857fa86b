import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteStore, type SqliteStoreOptions } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "tachograph-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Opens the store in a directory; it is closed after the test. */
export async function openStoreIn(
  directory: string,
  options: Partial<SqliteStoreOptions> = {},
): Promise<Store> {
  const file = path.join(directory, "store.db");
  const store = await openSqliteStore(file, { now: () => 1_000_000, ...options });
  onTestFinished(() => store.close());
  return store;
}
