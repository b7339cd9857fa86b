/** Table of the series of measures that a load test has had, to keep it within its limit. */

import type { DatabaseSync } from "node:sqlite";
import { LruCache } from "../../../concurrency/lru-cache.ts";

const LOAD_TESTS_REMEMBERED = 16;

/** Opens the table on one connection; changing methods require a write transaction. Keys are those of `keyOfSeries`. */
export function openMeasureSeries(database: DatabaseSync) {
  const insert = database.prepare("INSERT OR IGNORE INTO measure_series VALUES (?, ?)");
  const find = database.prepare("SELECT key FROM measure_series WHERE load_test = ?");
  const removeAll = database.prepare("DELETE FROM measure_series WHERE load_test = ?");
  const remembered = new LruCache<number, Set<string>>(LOAD_TESTS_REMEMBERED);
  const read = (loadTest: number) => new Set(find.all(loadTest).map((row) => String(row["key"])));
  return {
    keys: read,
    /** Whether it has all of them; may not see those that were added since the last call. */
    knowsAll(loadTest: number, keys: readonly string[]): boolean {
      if (keys.length === 0) return true;
      const known = remembered.get(loadTest) ?? read(loadTest);
      remembered.set(loadTest, known);
      return keys.every((key) => known.has(key));
    },
    learn(loadTest: number, keys: readonly string[]): void {
      for (const key of keys) remembered.get(loadTest)?.add(key);
    },
    add(loadTest: number, keys: readonly string[]): void {
      for (const key of keys) insert.run(loadTest, key);
    },
    removeAll(loadTest: number): void {
      removeAll.run(loadTest);
    },
  };
}
