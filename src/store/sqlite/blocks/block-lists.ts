import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { FoundBlocks } from "./found-blocks.ts";

const LISTS_KEPT = 8;

/**
 * The blocks that snapshots saw last: those of a load test at one revision stay the same, and to list
 * the thousands that hold many endpoints takes longer than to read one endpoint.
 */
export class BlockLists {
  readonly #kept = new LruCache<string, Promise<FoundBlocks>>(LISTS_KEPT);

  /** What `list` answers for a load test at a revision, or answered before; a failure is not kept. */
  async get(
    loadTest: number,
    revision: number,
    list: () => Promise<FoundBlocks>,
  ): Promise<FoundBlocks> {
    const name = `${loadTest} ${revision}`;
    const listed = this.#kept.get(name) ?? list();
    this.#kept.set(name, listed);
    try {
      return await listed;
    } catch (error) {
      this.#kept.delete(name);
      throw error;
    }
  }
}
