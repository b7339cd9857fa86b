/**
 * Compaction merges blocks of live batches, and small ones of imports, into fewer, larger ones, so that reading is fast
 * however a load test was written. Visible data does not change, and open snapshots keep reading the old blocks.
 */

import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { type ErrorCode, UserError } from "../../../model/errors.ts";
import { MINUTE_SECONDS } from "../../../model/load-test.ts";
import { SECTION_POINTS } from "../../block/envelope.ts";
import type { BlockRow, EncodedBlock, LiveBlock } from "../blocks/block-rows.ts";
import type { LoadTestRow } from "../catalogue/load-test-rows.ts";
import type { SqliteFile } from "../file.ts";
import { planDownsampling, planPublished } from "./published-plan.ts";
import { bytesOf, mergingInTurns, type MergePlan } from "./merge-chunks.ts";
import { readSegments } from "../blocks/segment-cache.ts";
import { planCompaction, type CompactionPlan } from "./compaction-plan.ts";

/** As many as fill a section of an endpoint that is in each: a point is then written twice. With more, more blocks wait and slow reads. */
const RUNS_COMPACTED = SECTION_POINTS;
/** Blocks that wait longer than this for the rest of their merge were left by a killed process. */
const LAID_MS_MAX = 600_000;
/** A source without a batch for this long is considered ended. */
const QUIET_MS = 60_000;

export interface CompactorOptions {
  /** Groups of one level that are merged, unless fewer have many points; only tests set another number. */
  readonly runsCompacted?: number | undefined;
  /** Merges live blocks in another thread. @default in this thread, in short slices */
  readonly mergeBeside?: MergePlan | undefined;
}

/** Rolls back a write: another process was faster, or the source was deleted. */
class ObsoleteCompaction extends Error {}

export class Compactor {
  readonly #file: SqliteFile;
  readonly #runsCompacted: number;
  readonly #mergeLive: MergePlan;
  /** Batches that this process stored since the last pass, by source. */
  readonly #stored = new Map<number, number>();
  readonly #waiting = new Set<number>();
  /** Sources with blocks that cannot be merged: damaged, or with inexact sums. */
  readonly #refused = new Set<number>();
  /** Called after each source. */
  readonly #awaited = new Map<number, () => void>();
  #working: Promise<void> | undefined;
  #stopped = false;

  constructor(file: SqliteFile, { runsCompacted, mergeBeside }: CompactorOptions = {}) {
    this.#file = file;
    this.#runsCompacted = runsCompacted ?? RUNS_COMPACTED;
    this.#mergeLive = mergeBeside ?? this.#mergingInTurns(delay);
  }

  /** Reports a stored live batch; enough batches trigger a compaction. */
  noteBatch(source: number): void {
    const stored = (this.#stored.get(source) ?? 0) + 1;
    this.#stored.set(source, stored);
    if (stored >= this.#runsCompacted) this.#begin([source]);
  }

  /** Merges the blocks of a source just published if many and small. Resolves when done or aborted, which changes nothing. */
  async mergePublished(source: number): Promise<void> {
    if (this.#stopped || this.#refused.has(source)) return;
    await new Promise<void>((resolve) => {
      this.#awaited.set(source, resolve);
      this.#begin([source]);
    });
  }

  /**
   * Merges points and measures of each minute of a load test into one, for good. Returns whether it completed: other
   * writes may stop it, or the end of the process, and then some may be merged and others not. Throws `damaged-store`,
   * `sum-too-large`.
   */
  async downsample({ number, first_second, last_second }: LoadTestRow): Promise<boolean> {
    const { reading } = this.#file;
    const visible = reading.blocks.visible(number, reading.storeState().revision);
    const seconds = { firstSecond: first_second ?? 0, lastSecond: last_second ?? 0 };
    for (const plan of planDownsampling(visible, { windowSeconds: MINUTE_SECONDS, ...seconds })) {
      if (this.#stopped || !(await this.#carryOut(plan, this.#mergingInTurns(delay)))) return false;
    }
    return true;
  }

  /** Processes all sources, whichever process wrote them. */
  sweep(): void {
    this.#begin(this.#file.reading.blocks.liveSources());
  }

  async idle(): Promise<void> {
    await this.#working;
  }

  /** Aborts running compactions, which changes nothing. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  #begin(sources: readonly number[]): void {
    for (const source of sources) if (!this.#refused.has(source)) this.#waiting.add(source);
    if (this.#waiting.size > 0 && !this.#stopped) this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    for (const source of this.#waiting) {
      this.#waiting.delete(source);
      this.#stored.delete(source);
      try {
        await this.#compactSource(source);
      } catch (error) {
        // Safe to ignore: reading or verifying reports damage, and lack of space, locks or files is retried.
        const isPassing = error instanceof UserError && PASSING.includes(error.code);
        if (!isPassing) this.#refused.add(source);
      }
      this.#reportMerged(source);
      if (this.#stopped) break;
    }
    for (const source of this.#awaited.keys()) this.#reportMerged(source);
    this.#working = undefined;
  }

  #reportMerged(source: number): void {
    this.#awaited.get(source)?.();
    this.#awaited.delete(source);
  }

  async #compactSource(source: number): Promise<void> {
    await nextTurn();
    const { sources, blocks } = this.#file.reading;
    if (sources.get(source)?.published !== undefined) {
      await this.#compactPublished(source, blocks.live(source));
      return;
    }
    for (;;) {
      const isEnded = this.#isEnded(source);
      const live = blocks.live(source);
      const plan = planCompaction(live, { runsCompacted: this.#runsCompacted, isEnded });
      if (plan === undefined) {
        if (isEnded) await this.#settle(live);
        return;
      }
      if (!(await this.#carryOut(plan, this.#mergeLive))) return;
      if (this.#awaited.size === 0) continue;
      // A sender may keep this source busy forever while other sources wait.
      this.#waiting.add(source);
      return;
    }
  }

  async #compactPublished(source: number, blocks: readonly LiveBlock[]): Promise<void> {
    const plans = planPublished(blocks);
    const merged = new Set(plans.flatMap((plan) => plan.blocks));
    await this.#settle(blocks.filter((block) => !merged.has(block)));
    for (const plan of plans) {
      // A caller that waits has nothing else to do; otherwise compaction shares the time with other work.
      const rest = this.#awaited.has(source) ? nextTurn : delay;
      if (!(await this.#carryOut(plan, this.#mergingInTurns(rest)))) return;
    }
  }

  #isEnded(number: number): boolean {
    const { reading, now } = this.#file;
    const source = reading.sources.get(number);
    if (source === undefined) return false;
    const isFinished = reading.loadTests.get(source.loadTest)?.finished_at_ms != null;
    return isFinished || now() - source.lastBatchAtMs >= QUIET_MS;
  }

  /** Returns whether it completed. */
  async #carryOut(plan: CompactionPlan, merge: MergePlan): Promise<boolean> {
    const hidden: number[] = [];
    let made: readonly EncodedBlock[] = [];
    for await (const chunk of merge(plan)) {
      if (this.#stopped) return false;
      const blocks = made;
      made = chunk;
      if (blocks.length === 0) continue;
      hidden.push(...(await this.#write(blocks, () => this.#lay(plan, blocks))));
    }
    if (this.#stopped) return false;
    try {
      await this.#write(made, () => {
        this.#exchange(plan, [...hidden, ...this.#lay(plan, made)]);
      });
      return true;
    } catch (error) {
      if (error instanceof ObsoleteCompaction) return false;
      throw error;
    }
  }

  #mergingInTurns(rest: (tookMs: number) => Promise<unknown>): MergePlan {
    const segmentsOf = (row: BlockRow) => readSegments(this.#file.reading.blocks, row);
    return mergingInTurns({ segmentsOf, rest, isWanted: () => !this.#stopped });
  }

  #write<Answer>(blocks: readonly EncodedBlock[], run: () => Answer): Promise<Answer> {
    return this.#file.queue.write(run, bytesOf(blocks));
  }

  /** Stores hidden blocks, within a write transaction. */
  #lay({ blocks, level }: CompactionPlan, made: readonly EncodedBlock[]): readonly number[] {
    const { writing, now } = this.#file;
    const [{ load_test, source }] = blocks as [BlockRow];
    return made.map((block) => {
      const number = writing.blocks.add({ load_test, source, shown_from: undefined, level }, block);
      writing.blocks.stage(number, now() + LAID_MS_MAX);
      return number;
    });
  }

  /** Replaces the merged blocks by their result, within a write transaction. */
  #exchange({ blocks, downsampling }: CompactionPlan, hidden: readonly number[]): void {
    const { writing, now } = this.#file;
    const loadTest = writing.loadTests.get(blocks[0]?.load_test ?? 0);
    const replaced = blocks.map(({ number }) => number);
    const exchange = { hidden, replaced, revision: writing.nextRevision(), atMs: now() };
    if (loadTest === undefined || !writing.blocks.exchange(exchange))
      throw new ObsoleteCompaction();
    const shown = loadTest.blocks + hidden.length - replaced.length;
    // Compaction alone changes no visible data, and no revision of a load test.
    const revision = downsampling === undefined ? loadTest.revision : exchange.revision;
    writing.loadTests.save({ ...loadTest, blocks: shown, revision });
  }

  async #settle(blocks: readonly LiveBlock[]): Promise<void> {
    if (blocks.length === 0) return;
    const { queue, writing } = this.#file;
    await queue.write(() => {
      for (const { number } of blocks) writing.blocks.settle(number);
    });
  }
}

const PASSING: readonly ErrorCode[] = ["busy", "storage-full", "store-unusable"];
