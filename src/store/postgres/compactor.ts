/** Merges blocks as the store file does, in the thread of the server, in short slices. */

import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../model/errors.ts";
import { MINUTE_SECONDS } from "../../model/load-test.ts";
import { SECTION_POINTS } from "../block/envelope.ts";
import type { EncodedBlock, LiveBlock } from "../sqlite/blocks/block-rows.ts";
import { readSegments } from "../sqlite/blocks/segment-cache.ts";
import type { LoadTestRow } from "../sqlite/catalogue/load-test-rows.ts";
import type { SourceRow } from "../sqlite/catalogue/source-rows.ts";
import { type CompactionPlan, planCompaction } from "../sqlite/compaction/compaction-plan.ts";
import { mergingInTurns } from "../sqlite/compaction/merge-chunks.ts";
import { planDownsampling, planPublished } from "../sqlite/compaction/published-plan.ts";
import { BLOCK_COLUMNS, type SegmentFetcher, addBlock, intactBlock } from "./segments.ts";
import { NOW_MS, type Row } from "./database.ts";
import { LOAD_TEST, loadTestIn, saveLoadTest } from "./load-test-table.ts";
import type { Snapshots } from "./snapshots.ts";
import { laterRevision } from "./working-set.ts";
import type { PostgresParts } from "./writes.ts";

/** A source without a batch for this long is considered ended. */
const QUIET_MS = 60_000;

const LIVE = "level IS NOT NULL AND shown_from IS NOT NULL AND shown_until IS NULL";

/** A source as the block tables identify it. */
type Owner = Pick<SourceRow, "loadTest" | "number">;

export class PostgresCompactor {
  readonly #parts: PostgresParts;
  readonly #segments: SegmentFetcher;
  readonly #snapshots: Snapshots;
  /** Batches that this process stored since the last merge, by source. */
  readonly #stored = new Map<number, number>();
  /** Sources with blocks that cannot be merged: damaged, or with inexact sums. */
  readonly #refused = new Set<number>();
  readonly #running = new Map<number, Promise<void>>();
  #isStopped = false;

  constructor(parts: PostgresParts, segments: SegmentFetcher, snapshots: Snapshots) {
    this.#parts = parts;
    this.#segments = segments;
    this.#snapshots = snapshots;
  }

  /** Reports a stored live batch; enough batches trigger a compaction. */
  noteBatch(source: Owner): void {
    const stored = (this.#stored.get(source.number) ?? 0) + 1;
    this.#stored.set(source.number, stored);
    if (stored >= SECTION_POINTS) void this.#compact(source);
  }

  /** Merges the blocks of a source just published if many and small. */
  mergePublished(source: Owner): Promise<void> {
    return this.#compact(source);
  }

  /** See `Points.downsample`. */
  async downsample({ number }: LoadTestRow): Promise<boolean> {
    const { losses } = this.#parts.database;
    const sql = `SELECT ${LOAD_TEST} FROM load_tests WHERE number = $1`;
    const [found] = await this.#parts.database.read(sql, [number]);
    if (found === undefined) return false;
    const state = loadTestIn(found);
    const { row } = state;
    const visible = await this.#snapshots.visible(state);
    const seconds = { firstSecond: row.first_second ?? 0, lastSecond: row.last_second ?? 0 };
    for (const plan of planDownsampling(visible, { windowSeconds: MINUTE_SECONDS, ...seconds })) {
      if (this.#isStopped || !(await this.#carryOut(plan, losses))) return false;
    }
    return true;
  }

  /** Merges what other processes left. */
  async sweep(): Promise<void> {
    const rows = await this.#parts.database.read(
      `SELECT DISTINCT load_test, source FROM blocks WHERE ${LIVE}`,
    );
    for (const { load_test: loadTest, source } of rows) {
      if (this.#isStopped) return;
      await this.#compact({ loadTest: Number(loadTest), number: Number(source) });
    }
  }

  /** Aborts running merges, which changes nothing. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running.values());
  }

  #compact(source: Owner): Promise<void> {
    const { number } = source;
    if (this.#isStopped || this.#refused.has(number)) return Promise.resolve();
    const running = this.#running.get(number) ?? this.#compactOnce(source);
    this.#running.set(number, running);
    return running;
  }

  async #compactOnce(source: Owner): Promise<void> {
    this.#stored.delete(source.number);
    try {
      await this.#compactSource(source);
    } catch (error) {
      // Safe to ignore: reading or verifying reports damage, and what is passing is tried again.
      const isLasting =
        error instanceof UserError && ["damaged-store", "sum-too-large"].includes(error.code);
      if (isLasting) this.#refused.add(source.number);
    } finally {
      this.#running.delete(source.number);
    }
  }

  async #compactSource({ loadTest, number }: Owner): Promise<void> {
    const { database, now } = this.#parts;
    for (;;) {
      const { losses } = database;
      const [about = [], rows = []] = await database.readAll([
        {
          sql: `SELECT sources.last_batch_at_ms, sources.digest, finished_at_ms FROM sources
            JOIN load_tests ON load_tests.number = load_test
            WHERE load_test = $1 AND sources.number = $2`,
          values: [loadTest, number],
        },
        {
          sql: `SELECT ${BLOCK_COLUMNS}, level, shown_from FROM blocks
            WHERE load_test = $1 AND source = $2 AND ${LIVE} ORDER BY shown_from, number`,
          values: [loadTest, number],
        },
      ]);
      const [source] = about;
      if (source === undefined) return;
      const live = rows.map(liveBlockOf);
      if (source["digest"] !== null) return this.#compactPublished(live, losses);
      const isEnded =
        source["finished_at_ms"] !== null || now() - Number(source["last_batch_at_ms"]) >= QUIET_MS;
      const plan = planCompaction(live, { runsCompacted: SECTION_POINTS, isEnded });
      if (plan === undefined) {
        if (isEnded) await this.#settle(live);
        return;
      }
      if (!(await this.#carryOut(plan, losses))) return;
    }
  }

  async #compactPublished(blocks: readonly LiveBlock[], losses: number): Promise<void> {
    const plans = planPublished(blocks);
    const merged = new Set(plans.flatMap((plan) => plan.blocks));
    await this.#settle(blocks.filter((block) => !merged.has(block)));
    for (const plan of plans) if (!(await this.#carryOut(plan, losses))) return;
  }

  /**
   * Replaces the blocks of a plan by their merge. Returns whether it did: another process may be faster. `losses`: `Database.losses`
   * before the blocks were listed.
   */
  async #carryOut(plan: CompactionPlan, losses: number): Promise<boolean> {
    const { database, numbers } = this.#parts;
    const [first] = plan.blocks;
    if (first === undefined) return true;
    const fetched = await this.#segments.fetch(plan.blocks);
    const rows = {
      segment: (kind: "plain" | "distribution", number: number) => fetched.get(number)?.[kind],
    };
    const made: EncodedBlock[] = [];
    const merge = mergingInTurns({
      segmentsOf: (row) => readSegments(rows, row),
      rest: delay,
      isWanted: () => !this.#isStopped,
    });
    for await (const chunk of merge(plan)) made.push(...chunk);
    if (this.#isStopped) return false;
    const given = await numbers.reserve(made.length);
    const replaced = plan.blocks.map(({ number }) => number);
    return database.transaction(async (run) => {
      // A standby that lacks the last transactions gives the numbers of their blocks, and those reserved, to others.
      if (losses !== database.losses) return { result: false, statements: [] };
      const [locked] = await run(
        `SELECT ${LOAD_TEST} FROM load_tests WHERE number = $1 FOR UPDATE`,
        [first.load_test],
      );
      const here = await run(
        `SELECT count(*) AS here FROM blocks
         WHERE load_test = $1 AND number = ANY($2::bigint[]) AND shown_until IS NULL`,
        [first.load_test, replaced],
      );
      if (locked === undefined || Number(here[0]?.["here"]) !== replaced.length) {
        return { result: false, statements: [] };
      }
      const { row, latestRevision } = loadTestIn(locked);
      const next = laterRevision(latestRevision);
      const blocks = row.blocks + made.length - replaced.length;
      const revision = plan.downsampling === undefined ? row.revision : next;
      const home = { load_test: first.load_test, source: first.source, shown_from: next };
      return {
        result: true,
        statements: [
          {
            sql: `UPDATE blocks SET shown_until = $3, hidden_at_ms = ${NOW_MS}, level = NULL
              WHERE load_test = $1 AND number = ANY($2::bigint[])`,
            values: [first.load_test, replaced, next],
          },
          ...made.map((block, at) =>
            addBlock({ number: given[at] ?? 0, home: { ...home, level: plan.level }, block }),
          ),
          saveLoadTest({ ...row, blocks, revision }, next),
        ],
      };
    }, false);
  }

  async #settle(blocks: readonly LiveBlock[]): Promise<void> {
    const [first] = blocks;
    if (first === undefined) return;
    await this.#parts.database.write({
      sql: "UPDATE blocks SET level = NULL WHERE load_test = $1 AND number = ANY($2::bigint[])",
      values: [first.load_test, blocks.map(({ number }) => number)],
    });
  }
}

function liveBlockOf(row: Row): LiveBlock {
  const { level, shown_from, ...block } = row;
  return { ...intactBlock(block), level: Number(level), shown_from: Number(shown_from) };
}
