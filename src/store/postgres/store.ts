/**
 * The store beyond one machine: a PostgreSQL database that any number of processes share. It holds the blocks of the store
 * file in tables keyed by load test; docs/scaling.md says when to use it.
 */

import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../label-limit.ts";
import { noticesOf, type Damage, type Store, type StoreScope } from "../store.ts";
import { openAudit, openFigures, openKeys, openText } from "./catalogue.ts";
import { PostgresCompactor } from "./compactor.ts";
import { Database, NOW_MS, parsePostgresUrl } from "./database.ts";
import { deleteSomeFiles, openPostgresFiles } from "./files.ts";
import { openLabels } from "./labels.ts";
import { readScopes, scopeKey } from "./load-test-table.ts";
import { openLoadTests } from "./load-tests.ts";
import { Numbers, type PostgresParts } from "./writes.ts";
import { openPoints } from "./points.ts";
import { requireTables, ENVIRONMENT_OF_HOUR } from "./schema.ts";
import { BLOCK_COLUMNS, SegmentFetcher, blockOf } from "./segments.ts";
import { openSnapshots, readWithSources, type Snapshots } from "./snapshots.ts";
import { GC_GRACE_MS, isIntact, type Segments } from "../sqlite/blocks/block-rows.ts";
import { describeDamage } from "../sqlite/blocks/attempt-block.ts";
import { numbersIn } from "../block/endpoint-set.ts";
import { addTallies, EMPTY_TALLY } from "../sqlite/catalogue/tally.ts";
import { scopeOf } from "../sqlite/catalogue/load-test-rows.ts";
import {
  damageIn,
  damageOf,
  type NamedRow,
  requireCounted,
  requireDescribed,
  verifyKeptFiles,
  wrong,
} from "../sqlite/verify.ts";
import { readSegments } from "../sqlite/blocks/segment-cache.ts";
import { bytesIn } from "./source-rows.ts";

export interface PostgresStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** @default `LABELS_MAX`, without a report */
  readonly labelLimit?: LabelLimit | undefined;
}

/** Opens the store, creating its tables in an empty database. Throws `bad-setting`, `store-unreachable`, `store-unusable`. */
export async function openPostgresStore(
  url: string,
  { now, labelLimit = DEFAULT_LABEL_LIMIT }: PostgresStoreOptions,
): Promise<Store> {
  const database = new Database(parsePostgresUrl(url));
  try {
    const storeId = await requireTables(database);
    const labels = openLabels(database, labelLimit);
    const parts = { database, storeId, now, labelLimit, labels, numbers: new Numbers(database) };
    const segments = new SegmentFetcher(database);
    const snapshots = openSnapshots(parts, segments);
    const compactor = new PostgresCompactor(parts, segments, snapshots);
    const housekeeping = new PostgresHousekeeping(database, compactor);
    const [keys, audit, queues] = [openKeys(database), openAudit(database), new Map()];
    let closing: Promise<void> | undefined;
    const within = (scope: StoreScope): Store => {
      const [project, environment] = scopeKey(scope);
      const figures = openFigures(parts, scope);
      return {
        loadTests: openLoadTests(parts, scope),
        points: openPoints(parts, scope, { snapshots, compactor, figures, queues }),
        files: openPostgresFiles(parts, scope),
        thresholds: {
          find: (name) => openText(database, "thresholds", project, Buffer.from(name)).find(),
          keep: (name, text) =>
            openText(database, "thresholds", project, Buffer.from(name)).keep(text),
        },
        senderState: (id = "") => openText(database, "sender_states", project, environment, id),
        judgeNotes: openText(database, "judge_notes", project),
        noticeNotes: openText(database, "judge_notes", noticesOf(project)),
        keys,
        audit,
        within: (inner) => within({ ...scope, ...inner }),
        scopes: () => readScopes(database),
        version: () => database.version(),
        verify: () => verifyDatabase(parts, snapshots),
        close() {
          closing ??= housekeeping.stop().then(() => database.close());
          return closing;
        },
      };
    };
    return within({});
  } catch (error) {
    await database.close();
    throw error;
  }
}

const EVERY_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Blocks deleted in one transaction. */
const BLOCKS_AT_ONCE = 1000;
/** Of the advisory lock that the process holds that deletes. */
const LOCK = 0x54616369;

/** Work that any process may do: merges what others left, and deletes what no snapshot can read any more. */
class PostgresHousekeeping {
  readonly #database: Database;
  readonly #compactor: PostgresCompactor;
  readonly #timer: NodeJS.Timeout;
  #working: Promise<void> | undefined;
  #isStopped = false;

  constructor(database: Database, compactor: PostgresCompactor) {
    this.#database = database;
    this.#compactor = compactor;
    this.#timer = setInterval(() => this.#begin(), EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#compactor.stop();
    await this.#working;
  }

  #begin(): void {
    this.#working ??= this.#tidyUp().finally(() => (this.#working = undefined));
  }

  async #tidyUp(): Promise<void> {
    try {
      await this.#compactor.sweep();
      while (!this.#isStopped && (await deleteSome(this.#database)) === BLOCKS_AT_ONCE) continue;
      const beforeMs = `${NOW_MS} - ${DAY_MS}`;
      while (!this.#isStopped && (await deleteSomeFiles(this.#database, beforeMs))) continue;
    } catch {
      // Nothing is lost: it is tried again a minute later, and what is wrong shows in every write.
    }
  }
}

const IS_STALE = `visibility = 'staged' AND digest IS NULL
  AND last_batch_at_ms < ${NOW_MS} - ${DAY_MS} AND last_batch_at_ms > 0`;

/** Deletes what no reader can see. Returns how many blocks it deleted. Staged sources of killed imports go after a day. */
export function deleteSome(database: Database): Promise<number> {
  return database.transaction(async (run) => {
    const [lock] = await run(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS held`);
    if (lock?.["held"] !== true) return { result: 0, statements: [] };
    const deleted = await run(
      `DELETE FROM blocks WHERE (load_test, number) IN (
         SELECT load_test, number FROM blocks WHERE hidden_at_ms <= ${NOW_MS} - ${GC_GRACE_MS}
         LIMIT ${BLOCKS_AT_ONCE}) RETURNING load_test`,
    );
    const loadTests = [...new Set(deleted.map(({ load_test: number }) => Number(number)))];
    return {
      result: deleted.length,
      statements: [
        {
          sql: `DELETE FROM endpoints WHERE load_test = ANY($1::bigint[])
            AND NOT EXISTS (SELECT 1 FROM load_tests WHERE number = endpoints.load_test)
            AND NOT EXISTS (SELECT 1 FROM blocks WHERE load_test = endpoints.load_test)`,
          values: [loadTests],
        },
        {
          // Locked as by all who write: another batch would make a source again, without those before it.
          sql: `WITH held AS (
              SELECT number FROM load_tests
              WHERE number IN (SELECT load_test FROM sources WHERE ${IS_STALE})
              FOR UPDATE SKIP LOCKED),
            stale AS (
              DELETE FROM sources WHERE load_test IN (SELECT number FROM held) AND ${IS_STALE}
              RETURNING load_test, number),
            forgotten AS (
              DELETE FROM batches USING stale
              WHERE batches.load_test = stale.load_test AND source = stale.number)
            UPDATE blocks SET shown_until = 0, hidden_at_ms = 0 FROM stale
            WHERE blocks.load_test = stale.load_test AND source = stale.number`,
          values: [],
        },
      ],
    };
  }, true);
}

const BLOCKS_VERIFIED_AT_ONCE = 64;

/** Reads every load test, block, sample and reported percentile back. What the database itself stores, its own checksums protect. */
async function* verifyDatabase(parts: PostgresParts, snapshots: Snapshots): AsyncGenerator<Damage> {
  const { database, labels } = parts;
  const all = (await database.read(
    `SELECT number, project, ${ENVIRONMENT_OF_HOUR} AS environment, id FROM load_tests
     ORDER BY number`,
  )) as unknown as readonly NamedRow[];
  const byNumber = new Map(all.map((found) => [found.number, found]));
  for (const found of all) {
    const key = { scope: scopeOf(found), id: found.id };
    const message = await damageOf(async () => {
      const snapshot = await snapshots.open(key);
      await snapshot?.index();
      await snapshot?.samples();
      const bySource = await snapshots.openBySource(key);
      for (const source of bySource?.sources ?? []) await source.reported();
      const stored = await readWithSources(database, key);
      if (stored === undefined) return;
      const tallies = stored.sources.map((source) => source.tally);
      requireCounted(found.id, stored.row, addTallies([EMPTY_TALLY, ...tallies]));
    });
    if (message !== undefined) yield damageIn(found, message);
  }
  yield* verifyKeptFiles(all, (scope) => openPostgresFiles(parts, scope));
  let [loadTest, number] = [0, 0];
  for (;;) {
    const rows = await database.read(
      `SELECT ${BLOCK_COLUMNS}, plain, distribution FROM blocks
       WHERE (load_test, number) > ($1, $2) AND shown_until IS NULL
       ORDER BY load_test, number LIMIT ${BLOCKS_VERIFIED_AT_ONCE}`,
      [loadTest, number],
    );
    for (const { plain, distribution, ...block } of rows) {
      const row = blockOf(block);
      [loadTest, number] = [row.load_test, row.number];
      const segments: Segments = {
        plain: bytesIn(plain),
        ...(distribution === null ? {} : { distribution: bytesIn(distribution) }),
      };
      const found = byNumber.get(row.load_test);
      const known = labels.known(row.load_test);
      await labels.catchUp(row.load_test);
      const message = await damageOf(() => {
        try {
          if (!isIntact(row)) throw wrong("its row does not match its checksum");
          requireDescribed(row, readSegments({ segment: (kind) => segments[kind] }, row));
        } catch (error) {
          const names = Array.from(
            numbersIn(row.endpoints),
            (each) => known.labels[each] ?? `number ${each}`,
          );
          throw describeDamage(error, { id: found?.id ?? "(deleted)" }, names, row);
        }
      });
      if (message !== undefined) yield damageIn(found, message);
    }
    if (rows.length < BLOCKS_VERIFIED_AT_ONCE) return;
  }
}
