import type { DatabaseSync } from "node:sqlite";
import { LruCache } from "../../../concurrency/lru-cache.ts";

/** Caches what was read from the file, by name, until any process changes the file. */
export class WhileUnchanged<Value> {
  readonly #version: () => unknown;
  readonly #entriesMax: number;
  #kept: LruCache<string, Value>;
  #keptVersion: unknown;

  /** `reader` itself must not write: its own changes would not be detected. */
  constructor(reader: DatabaseSync, entriesMax: number) {
    this.#version = dataVersionOf(reader);
    this.#entriesMax = entriesMax;
    this.#kept = new LruCache(entriesMax);
  }

  /** Returns the cached or new result of `read`. Errors are not cached. */
  get(name: string, read: () => Value): Value {
    // Read first: a concurrent change makes the entry look older than it is, never newer.
    const version = this.#version();
    if (version !== this.#keptVersion) this.#kept = new LruCache(this.#entriesMax);
    this.#keptVersion = version;
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const value = read();
    this.#kept.set(name, value);
    return value;
  }
}

/** A number that changes when another connection of any process, but not `reader`, changes the file. Takes 2 µs. */
export function dataVersionOf(reader: DatabaseSync): () => unknown {
  const statement = reader.prepare("PRAGMA data_version");
  statement.setReturnArrays(true);
  return () => (statement.get() as unknown as [number])[0];
}
