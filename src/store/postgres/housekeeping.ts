/** Work that any process may do: merges what others left, and deletes what no snapshot can read any more. */

import { GC_GRACE_MS } from "../sqlite/blocks/block-rows.ts";
import { NOW_MS } from "./block-table.ts";
import type { PostgresCompactor } from "./compactor.ts";
import type { Database } from "./database.ts";

const EVERY_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Blocks deleted in one transaction. */
const BLOCKS_AT_ONCE = 1000;
/** Of the advisory lock that the process holds that deletes. */
const LOCK = 0x54616369;

export class PostgresHousekeeping {
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
    } catch {
      // Nothing is lost: it is tried again a minute later, and what is wrong shows in every write.
    }
  }
}

/** Returns how many blocks it deleted. Staged sources of killed imports go after a day. */
function deleteSome(database: Database): Promise<number> {
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
          sql: `WITH stale AS (
              DELETE FROM sources WHERE visibility = 'staged' AND digest IS NULL
                AND last_batch_at_ms < ${NOW_MS} - ${DAY_MS} AND last_batch_at_ms > 0
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
