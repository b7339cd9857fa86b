import type { DatabaseSync } from "node:sqlite";
import { dataVersionOf } from "./data-version.ts";

/**
 * Remembers what was read of the file, by name, until anything in the file changes, whoever changes
 * it.
 */
export class WhileUnchanged<Value> {
  readonly #version: () => unknown;
  readonly #entriesMax: number;
  readonly #kept = new Map<string, Value>();
  #keptVersion: unknown;

  /** `reader` itself must not write: its own changes would go unseen. */
  constructor(reader: DatabaseSync, entriesMax: number) {
    this.#version = dataVersionOf(reader);
    this.#entriesMax = entriesMax;
  }

  /** What `read` answers, or answered before. What it throws is not remembered. */
  get(name: string, read: () => Value): Value {
    // Asked before reading: what is changed in between is taken for older than it is, never newer.
    const version = this.#version();
    if (version !== this.#keptVersion || this.#kept.size >= this.#entriesMax) this.#kept.clear();
    this.#keptVersion = version;
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const value = read();
    this.#kept.set(name, value);
    return value;
  }
}
