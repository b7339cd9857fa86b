import type { FoundBlocks } from "./found-blocks.ts";

const LISTS_KEPT = 8;

/**
 * The blocks that snapshots saw last: those of a load test at one revision stay the same, and to list
 * the thousands that hold many endpoints takes longer than to read one endpoint.
 */
export class BlockLists {
  /** The one used last stands last. */
  readonly #kept = new Map<string, Promise<FoundBlocks>>();

  /** What `list` answers for a load test at a revision, or answered before; a failure is not kept. */
  async get(
    loadTest: number,
    revision: number,
    list: () => Promise<FoundBlocks>,
  ): Promise<FoundBlocks> {
    const name = `${loadTest} ${revision}`;
    const listed = this.#kept.get(name) ?? list();
    this.#kept.delete(name);
    this.#kept.set(name, listed);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > LISTS_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    try {
      return await listed;
    } catch (error) {
      this.#kept.delete(name);
      throw error;
    }
  }
}
