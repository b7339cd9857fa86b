import type { DatabaseSync } from "node:sqlite";
import { LruCache } from "../../../concurrency/lru-cache.ts";

/**
 * Remembers what was read of the file, by name, until anything in the file changes, whoever changes
 * it.
 */
export class WhileUnchanged<Value> {
  readonly #version: () => unknown;
  readonly #entriesMax: number;
  #kept: LruCache<string, Value>;
  #keptVersion: unknown;

  /** `reader` itself must not write: its own changes would go unseen. */
  constructor(reader: DatabaseSync, entriesMax: number) {
    this.#version = dataVersionOf(reader);
    this.#entriesMax = entriesMax;
    this.#kept = new LruCache(entriesMax);
  }

  /** What `read` answers, or answered before. What it throws is not remembered. */
  get(name: string, read: () => Value): Value {
    // Asked before reading: what is changed in between is taken for older than it is, never newer.
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

/**
 * Answers a number that changes whenever another connection has changed the file, of this process or
 * of another one; those of `reader` itself go unseen. To ask takes 2 µs.
 */
export function dataVersionOf(reader: DatabaseSync): () => unknown {
  const statement = reader.prepare("PRAGMA data_version");
  statement.setReturnArrays(true);
  return () => (statement.get() as unknown as [number])[0];
}
