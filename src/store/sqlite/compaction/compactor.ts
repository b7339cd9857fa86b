/**
 * Compaction: blocks of live batches, and small ones of imports once they are published, are merged into
 * fewer and larger ones, so that a load test is read as fast however it was written. Nothing that
 * readers see changes, and snapshots that are open go on reading the blocks they began with.
 */

import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { type ErrorCode, UserError } from "../../../model/errors.ts";
import type { BlockRow, EncodedBlock, LiveBlock } from "../blocks/block-rows.ts";
import type { SqliteFile } from "../file.ts";
import { bytesOf, mergingInTurns, type MergePlan } from "./merge-chunks.ts";
import { planPublished } from "./published-plan.ts";
import { readSegments } from "../blocks/segment-cache.ts";
import { planCompaction, type CompactionPlan } from "./compaction-plan.ts";

/** With three levels every point is written four times at most, and few blocks wait. */
const RUNS_COMPACTED = 20;
/** Blocks that wait for the others of their compact longer than this are what a killed process left. */
const LAID_MS_MAX = 600_000;
/** A source that got no batch for so long is taken to have ended. */
const QUIET_MS = 60_000;

export interface CompactorOptions {
  /** Runs of one level are merged when there are so many; only tests choose another number. */
  readonly runsCompacted?: number | undefined;
  /** Merges live blocks beside this thread. @default in this one, in short turns */
  readonly mergeBeside?: MergePlan | undefined;
}

/** Undoes a write: another process was faster, or the source is gone. */
class ObsoleteCompaction extends Error {}

export class Compactor {
  readonly #file: SqliteFile;
  readonly #runsCompacted: number;
  readonly #mergeLive: MergePlan;
  /** Batches that this process stored since it looked last, by source. */
  readonly #stored = new Map<number, number>();
  readonly #waiting = new Set<number>();
  /** Sources with blocks that cannot be merged: damaged ones, or sums that would not be exact. */
  readonly #refused = new Set<number>();
  /** Told when a source was looked through. */
  readonly #awaited = new Map<number, () => void>();
  #working: Promise<void> | undefined;
  #stopped = false;

  constructor(file: SqliteFile, { runsCompacted, mergeBeside }: CompactorOptions = {}) {
    this.#file = file;
    this.#runsCompacted = runsCompacted ?? RUNS_COMPACTED;
    this.#mergeLive = mergeBeside ?? this.#mergingInTurns(delay);
  }

  /** Tells that a live batch was stored; when there are enough of them they are compacted. */
  noteBatch(source: number): void {
    const stored = (this.#stored.get(source) ?? 0) + 1;
    this.#stored.set(source, stored);
    if (stored >= this.#runsCompacted) this.#begin([source]);
  }

  /**
   * Merges the blocks of a source that was just published where they are many and small. Fulfilled
   * when that is done, or given up, which changes nothing.
   */
  async mergePublished(source: number): Promise<void> {
    if (this.#stopped || this.#refused.has(source)) return;
    await new Promise<void>((resolve) => {
      this.#awaited.set(source, resolve);
      this.#begin([source]);
    });
  }

  /** Looks through all sources, whichever process wrote them. */
  sweep(): void {
    this.#begin(this.#file.reading.blocks.liveSources());
  }

  /** Waits for all compaction that has begun. */
  async idle(): Promise<void> {
    await this.#working;
  }

  /** Gives up what has begun, which changes nothing. */
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
        // Nothing is worse than before. What is damaged is told when it is read or verified; what
        // has no room, no lock, or no file that can be opened now, is tried again.
        if (!isPassing(error)) this.#refused.add(source);
      }
      this.#tellMerged(source);
      if (this.#stopped) break;
    }
    for (const source of this.#awaited.keys()) this.#tellMerged(source);
    this.#working = undefined;
  }

  #tellMerged(source: number): void {
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
      // A sender may keep it busy without end, and somebody waits for another source.
      this.#waiting.add(source);
      return;
    }
  }

  async #compactPublished(source: number, blocks: readonly LiveBlock[]): Promise<void> {
    const plans = planPublished(blocks);
    const merged = new Set(plans.flatMap((plan) => plan.blocks));
    await this.#settle(blocks.filter((block) => !merged.has(block)));
    for (const plan of plans) {
      // Who waits for it has nothing else to do; otherwise it goes on beside other work.
      const rest = this.#awaited.has(source) ? nextTurn : delay;
      if (!(await this.#carryOut(plan, this.#mergingInTurns(rest)))) return;
    }
  }

  #isEnded(number: number): boolean {
    const { reading, now } = this.#file;
    const source = reading.sources.get(number);
    if (source === undefined) return false;
    const isFinished = reading.loadTests.get(source.loadTest)?.finished_at_ms != null;
    return isFinished || now() - source.touchedAtMs >= QUIET_MS;
  }

  /** Answers whether it came to its end. */
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

  /** Stores blocks that nobody sees yet, within a write. */
  #lay({ blocks, level }: CompactionPlan, made: readonly EncodedBlock[]): readonly number[] {
    const { writing, now } = this.#file;
    const [{ load_test, source }] = blocks as [LiveBlock];
    return made.map((block) => {
      const number = writing.blocks.add({ load_test, source, born: undefined, level }, block);
      writing.blocks.stage(number, now() + LAID_MS_MAX);
      return number;
    });
  }

  /** Lets them take the place of those they were made of, within a write. */
  #exchange({ blocks }: CompactionPlan, hidden: readonly number[]): void {
    const { writing, now } = this.#file;
    const loadTest = writing.loadTests.get(blocks[0]?.load_test ?? 0);
    const replaced = blocks.map(({ number }) => number);
    const exchange = { hidden, replaced, revision: writing.nextRevision(), atMs: now() };
    if (loadTest === undefined || !writing.blocks.exchange(exchange))
      throw new ObsoleteCompaction();
    // The revision of the load test stays: readers see the same as before.
    const shown = loadTest.blocks + hidden.length - replaced.length;
    writing.loadTests.save({ ...loadTest, blocks: shown });
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

function isPassing(error: unknown): boolean {
  return error instanceof UserError && PASSING.includes(error.code);
}
