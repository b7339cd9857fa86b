/** Bytes of blocks, fetched before they are read. */

import { LruCache } from "../../concurrency/lru-cache.ts";
import type { LoadTest } from "../../model/load-test.ts";
import type { Block } from "../block/block.ts";
import { checksumOf } from "../block/envelope.ts";
import { type BlockFile, type BlockLoading, tookTooLong } from "../sqlite/blocks/attempt-block.ts";
import {
  type BlockHome,
  type BlockRow,
  type CheckedRow,
  type EncodedBlock,
  type Segments,
  bytesIn as bytesOf,
  checkedBlock,
  rowChecksum,
} from "../sqlite/blocks/block-rows.ts";
import { type Database, NOW_MS, type Row, type Statement } from "./database.ts";
import { bytesIn } from "./source-rows.ts";

const CACHE_BYTES_MAX = 64 * 1024 * 1024;
/** Points fetched ahead: some tens of megabytes at most. */
const POINTS_AHEAD = 512 * 1024;

export class SegmentFetcher {
  readonly file: BlockFile;
  readonly #database: Database;
  #cached = new LruCache<number, Segments>(CACHE_BYTES_MAX);
  #losses: number;
  /** Those of the work that is running. */
  #held: ReadonlyMap<number, Segments> = new Map();

  constructor(database: Database) {
    this.#database = database;
    this.#losses = database.losses;
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
    // A standby that lacks the last transactions gives the numbers of their blocks to others.
    if (this.#losses !== this.#database.losses) this.#cached = new LruCache(CACHE_BYTES_MAX);
    this.#losses = this.#database.losses;
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

export const BLOCK_COLUMNS = `number, load_test, source, kind, endpoint_group, endpoints, roles, points,
  first_second, last_second, plain_crc, distribution_crc, crc`;

/** As read, unchecked. */
export function blockOf(row: Row): CheckedRow {
  const roles = row["roles"];
  return {
    ...(row as unknown as CheckedRow),
    endpoints: bytesIn(row["endpoints"]),
    roles: roles === null ? null : bytesIn(roles),
  };
}

/** Throws `damaged-store`. */
export function intactBlock(row: Row): BlockRow {
  return checkedBlock(blockOf(row));
}

interface NewBlock {
  readonly number: number;
  readonly home: BlockHome;
  readonly block: EncodedBlock;
  /** Milliseconds after which it is deleted unless it is exchanged for others. @default it stays */
  readonly laidMs?: number | undefined;
}

export function addBlock({ number, home, block, laidMs }: NewBlock): Statement {
  const { shown_from, level, ...owner } = home;
  const { segments, ...about } = block;
  const { plain, distribution } = segments;
  const row: BlockRow = {
    number,
    ...owner,
    ...about,
    plain_crc: checksumOf(plain),
    distribution_crc: distribution === undefined ? 0 : checksumOf(distribution),
  };
  return {
    sql: `INSERT INTO blocks (${BLOCK_COLUMNS}, shown_from, shown_until, hidden_at_ms, level, plain, distribution)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
        CASE WHEN $15::bigint IS NULL THEN NULL ELSE 0 END, ${NOW_MS} + $15::bigint, $16, $17, $18)`,
    values: [
      number,
      row.load_test,
      row.source,
      row.kind,
      row.endpoint_group,
      row.endpoints,
      row.roles,
      row.points,
      row.first_second,
      row.last_second,
      row.plain_crc,
      row.distribution_crc,
      rowChecksum(row),
      shown_from ?? null,
      laidMs ?? null,
      level ?? null,
      plain,
      distribution ?? null,
    ],
  };
}
