import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { FoundBlocks } from "./found-blocks.ts";

const LISTS_MAX = 8;

/**
 * Cache of the block lists that snapshots used last. The list of a load test at one revision never changes,
 * and listing the thousands of blocks that hold many endpoints takes longer than reading one endpoint.
 */
export class BlockLists {
  readonly #cached = new LruCache<string, Promise<FoundBlocks>>(LISTS_MAX);

  /**
   * Returns the cached result of `list` for a load test and revision, or calls it. Failures are not cached.
   */
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
