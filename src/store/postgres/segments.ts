/** Bytes of blocks, fetched before they are read. */

import { LruCache } from "../../concurrency/lru-cache.ts";
import type { LoadTest } from "../../model/load-test.ts";
import type { Block } from "../block/block.ts";
import { type BlockFile, tookTooLong, type BlockLoading } from "../sqlite/blocks/attempt-block.ts";
import { type BlockRow, bytesIn as bytesOf, type Segments } from "../sqlite/blocks/block-rows.ts";
import type { Database } from "./database.ts";
import { bytesIn } from "./source-rows.ts";

const CACHE_BYTES_MAX = 64 * 1024 * 1024;
/** Points fetched ahead: some tens of megabytes at most. */
const POINTS_AHEAD = 512 * 1024;

export class SegmentFetcher {
  readonly file: BlockFile;
  readonly #database: Database;
  readonly #cached = new LruCache<number, Segments>(CACHE_BYTES_MAX);
  /** Those of the work that is running. */
  #held: ReadonlyMap<number, Segments> = new Map();

  constructor(database: Database) {
    this.#database = database;
    const segment = (kind: keyof Block, number: number) =>
      (this.#held.get(number) ?? this.#cached.get(number))?.[kind];
    this.file = { reading: { blocks: { has: () => true, segment } } };
  }

  loadingOf(loadTest: LoadTest): BlockLoading {
    return {
      ahead: async (rows) => {
        let points = 0;
        const some = rows.filter((row) => (points += row.points) <= POINTS_AHEAD);
        for (const [number, segments] of await this.fetch(some)) this.#keep(number, segments);
      },
      with: async (rows, work) => {
        const held = await this.fetch(rows);
        if (rows.some(({ number }) => !held.has(number))) throw tookTooLong(loadTest);
        for (const [number, segments] of held) this.#keep(number, segments);
        this.#held = held;
        try {
          return work();
        } finally {
          this.#held = new Map();
        }
      },
    };
  }

  /** Returns the segments of those that are still in the database. */
  async fetch(rows: readonly BlockRow[]): Promise<ReadonlyMap<number, Segments>> {
    const found = new Map<number, Segments>();
    const missing: BlockRow[] = [];
    for (const row of rows) {
      const cached = this.#cached.get(row.number);
      if (cached === undefined) missing.push(row);
      else found.set(row.number, cached);
    }
    const [first] = missing;
    if (first === undefined) return found;
    const numbers = [...new Set(missing.map(({ number }) => number))];
    const read = await this.#database.read(
      `SELECT number, plain, distribution FROM blocks
       WHERE load_test = $1 AND number = ANY($2::bigint[])`,
      [first.load_test, numbers],
    );
    for (const row of read) {
      const distribution = row["distribution"];
      found.set(Number(row["number"]), {
        plain: bytesIn(row["plain"]),
        ...(distribution === null ? {} : { distribution: bytesIn(distribution) }),
      });
    }
    return found;
  }

  #keep(number: number, segments: Segments): void {
    if (this.#cached.get(number) === undefined) {
      this.#cached.set(number, segments, bytesOf(segments));
    }
  }
}
