import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { FoundBlocks } from "./found-blocks.ts";

const LISTS_MAX = 8;

/**
 * The block lists that snapshots used last. Those of a load test at one revision stay the same, and to
 * list the thousands of blocks that hold many endpoints takes longer than to read one endpoint.
 */
export class BlockLists {
  readonly #cached = new LruCache<string, Promise<FoundBlocks>>(LISTS_MAX);

  /** What `list` returns for a load test at a revision, or returned before; a failure is not cached. */
  async get(
    loadTest: number,
    revision: number,
    list: () => Promise<FoundBlocks>,
  ): Promise<FoundBlocks> {
    const name = `${loadTest} ${revision}`;
    const listed = this.#cached.get(name) ?? list();
    this.#cached.set(name, listed);
    try {
      return await listed;
    } catch (error) {
      this.#cached.delete(name);
      throw error;
    }
  }
}
