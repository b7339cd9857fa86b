import type { DataPoints } from "../../../model/data-points.ts";
import type { BlockRow } from "../blocks/block-rows.ts";
import { LruCache } from "../../../concurrency/lru-cache.ts";
import { Totals } from "../../totals.ts";

const BYTES_MAX = 24 * 1024 * 1024;

/** Totals of some blocks of a load test, which never change. */
export interface BlockTotals {
  readonly blocks: ReadonlySet<number>;
  readonly totals: Totals;
}

/**
 * Remembers the totals of the blocks that this process has merged while load tests run, so that a summary reads only those that
 * wait to be merged. Without those of a load test, or where they do not fit what is visible, everything is read.
 */
export class MergedTotals {
  readonly #known = new LruCache<number, BlockTotals>(BYTES_MAX);

  of(loadTest: number): BlockTotals | undefined {
    return this.#known.get(loadTest);
  }

  /**
   * Notes a merge that is visible now, with the points of the blocks made; none if they were not added up. Call one at a time;
   * yields where other work may run.
   */
  *exchange(
    [first, ...others]: readonly BlockRow[],
    made: readonly number[],
    points: readonly DataPoints[],
  ): Generator<void> {
    if (first === undefined) return;
    const loadTest = first.load_test;
    const replaced = [first, ...others].map(({ number }) => number);
    const known = this.#known.get(loadTest) ?? { blocks: new Set<number>(), totals: new Totals() };
    const blocks = new Set(known.blocks);
    const removed = replaced.filter((block) => blocks.delete(block)).length;
    // Some of the blocks were merged by another process, or before a restart, or into windows.
    const areOthers = removed < replaced.length || points.length === 0;
    if (removed > 0 && areOthers) this.#known.delete(loadTest);
    if (areOthers && (removed > 0 || points.length === 0)) return;
    for (const block of made) blocks.add(block);
    const totals = new Totals(known.totals);
    if (removed === 0) for (const part of points) totals.add(part);
    this.#known.set(loadTest, { blocks, totals }, totals.bytes);
    yield* this.#tidy(loadTest, { blocks, totals });
  }

  *#tidy(loadTest: number, { blocks, totals }: BlockTotals): Generator<void> {
    const tidied = new Totals(totals);
    for (const _ of tidied.tidy()) yield;
    if (this.#known.get(loadTest)?.totals !== totals) return;
    if (tidied.bytes > BYTES_MAX) this.#known.delete(loadTest);
    else this.#known.set(loadTest, { blocks, totals: tidied }, tidied.bytes);
  }
}
