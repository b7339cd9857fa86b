/**
 * Which live blocks to compact next. What was written in one transaction is a run; the runs of one level
 * are merged to one of the next when there are enough of them, so that each point is written again
 * once a level, and never more than that.
 */

import type { BlockKind, LiveBlock } from "../blocks/block-rows.ts";
import type { Arrangement } from "../blocks/encode-blocks.ts";
import { sizeOfSet, uniteSets } from "../endpoints/endpoint-set.ts";

/** Blocks of this level and those with so many rows of an endpoint are large enough to stay. */
const LEVELS = 3;
const ROWS_WANTED = 300;

/** Blocks to be merged; what comes of them gets `level`, `undefined` where it is to stay. */
export interface CompactionPlan {
  readonly kind: BlockKind;
  readonly blocks: readonly LiveBlock[];
  readonly level: number | undefined;
  readonly arrangement: Arrangement;
}

/**
 * Plans the next merge for the blocks of one source, by number; `undefined` where there is none to
 * do. It takes `runsCompacted` runs of a level. Where the source `isEnded` no more are expected: in the
 * end all that are left are merged.
 */
export function planCompaction(
  blocks: readonly LiveBlock[],
  { runsCompacted, isEnded }: { readonly runsCompacted: number; readonly isEnded: boolean },
): CompactionPlan | undefined {
  const byKind = Object.groupBy(blocks, ({ kind }) => kind);
  for (const own of Object.values(byKind)) {
    const plan = planFull(own, runsCompacted) ?? (isEnded ? planRest(own) : undefined);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

/** The lowest level that is full. */
function planFull(blocks: readonly LiveBlock[], runsCompacted: number): CompactionPlan | undefined {
  const byLevel = Map.groupBy(blocks, ({ level }) => level);
  for (const [level, own] of [...byLevel].toSorted(([left], [right]) => left - right)) {
    const runs = runsOf(own).slice(0, runsCompacted);
    if (runs.length < runsCompacted) continue;
    const merged = runs.flat();
    const isReady = level + 1 >= LEVELS || isLargeTogether(merged);
    return planOf(merged, isReady ? undefined : level + 1);
  }
  return undefined;
}

/** All that are left, unless there is nothing to merge in them. */
function planRest(blocks: readonly LiveBlock[]): CompactionPlan | undefined {
  return runsOf(blocks).length < 2 ? undefined : planOf(blocks, undefined);
}

function planOf(blocks: readonly LiveBlock[], level: number | undefined): CompactionPlan {
  const kind = blocks[0]?.kind ?? "points";
  return { kind, blocks, level, arrangement: level === undefined ? "grouped" : "mixed" };
}

function runsOf(blocks: readonly LiveBlock[]): readonly (readonly LiveBlock[])[] {
  return [...Map.groupBy(blocks, ({ born }) => born).values()];
}

function isLargeTogether(blocks: readonly LiveBlock[]): boolean {
  const rows = blocks.reduce((sum, { points }) => sum + points, 0);
  return isLarge(rows, sizeOfSet(uniteSets(blocks.map(({ endpoints }) => endpoints))));
}

/**
 * Whether so many rows of so many endpoints are large enough to be read fast as they are. Users have
 * no endpoint: of them all rows count.
 */
export function isLarge(rows: number, endpoints: number): boolean {
  return rows >= ROWS_WANTED * Math.max(1, endpoints);
}
