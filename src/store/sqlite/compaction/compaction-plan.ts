/**
 * Chooses which live blocks to compact next. The blocks of one transaction form a group; enough groups of a level are
 * merged into one group of the next, so each point is rewritten at most once per level.
 */

import { SECTION_POINTS } from "../../block/envelope.ts";
import type { Downsampling } from "../../downsample.ts";
import type { BlockKind, BlockRow, LiveBlock } from "../blocks/block-rows.ts";
import type { Arrangement } from "../blocks/encode-blocks.ts";
import { sizeOfSet, uniteSets } from "../../block/endpoint-set.ts";

/** Blocks of this level, and those with a section for each endpoint (`directory.ts`), are not merged again. */
const LEVELS = 2;
const MERGED_ROWS_WANTED = SECTION_POINTS;

/** Blocks with this many rows per endpoint need no merge. */
const ROWS_WANTED = 300;

/**
 * While runs are merged, a block of each is decoded: up to 16,384 points of 25 to 110 bytes. So runs with this many points
 * together are enough, but not fewer than `RUNS_MIN`, as each merge writes its points again.
 */
const MERGED_POINTS_WANTED = 2 ** 19;
const RUNS_MIN = 20;

/** The same for measures, which are merged whole, with copies of 70 bytes a row: of 2,000 series, 65 values each. */
const MERGED_MEASURE_ROWS_WANTED = 2 ** 17;

/** Blocks do not record the number of their series of measures; some hundred are usual. */
const MEASURE_ROWS_WANTED = 16_384;

/** Blocks to merge and the level of the result; `undefined` if it is final. */
export interface CompactionPlan {
  readonly kind: BlockKind;
  readonly blocks: readonly BlockRow[];
  readonly level: number | undefined;
  readonly arrangement: Arrangement;
  /** Merges points and measures into windows as well, which changes visible data. @default off */
  readonly downsampling?: Downsampling;
}

/**
 * Plans the next merge for the blocks of one source, by number; `undefined` if there is none. It takes
 * `runsCompacted` groups of a level, or fewer that have many points. If the source `isEnded`, no more groups
 * will come, and all remaining ones are merged in the end.
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

/** Returns the lowest full level. */
function planFull(blocks: readonly LiveBlock[], runsCompacted: number): CompactionPlan | undefined {
  const byLevel = Map.groupBy(blocks, ({ level }) => level);
  for (const [level, own] of [...byLevel].toSorted(([left], [right]) => left - right)) {
    const runs = runsOf(own);
    const count = countMerged(runs, runsCompacted);
    if (count === undefined) continue;
    const merged = runs.slice(0, count).flat();
    const isReady = level + 1 >= LEVELS || isLargeTogether(merged);
    return planOf(merged, isReady ? undefined : level + 1);
  }
  return undefined;
}

/** Returns how many of the first runs to merge; `undefined` if they are too few. */
function countMerged(
  runs: readonly (readonly LiveBlock[])[],
  runsCompacted: number,
): number | undefined {
  const fewest = Math.min(RUNS_MIN, runsCompacted);
  const wanted =
    runs[0]?.[0]?.kind === "measures" ? MERGED_MEASURE_ROWS_WANTED : MERGED_POINTS_WANTED;
  let points = 0;
  for (const [at, run] of runs.entries()) {
    points += pointsOf(run);
    const isEnough = at + 1 >= fewest && points >= wanted;
    if (isEnough || at + 1 >= runsCompacted) return at + 1;
  }
  return undefined;
}

/** Returns all remaining blocks, unless there is nothing to merge. */
function planRest(blocks: readonly LiveBlock[]): CompactionPlan | undefined {
  return runsOf(blocks).length < 2 ? undefined : planOf(blocks, undefined);
}

function planOf(blocks: readonly LiveBlock[], level: number | undefined): CompactionPlan {
  const kind = blocks[0]?.kind ?? "points";
  return { kind, blocks, level, arrangement: level === undefined ? "grouped" : "mixed" };
}

function runsOf(blocks: readonly LiveBlock[]): readonly (readonly LiveBlock[])[] {
  return [...Map.groupBy(blocks, ({ shown_from }) => shown_from).values()];
}

export function pointsOf(blocks: readonly LiveBlock[]): number {
  return blocks.reduce((sum, { points }) => sum + points, 0);
}

export function endpointsOf(blocks: readonly LiveBlock[]): number {
  return sizeOfSet(uniteSets(blocks.map(({ endpoints }) => endpoints)));
}

function isLargeTogether(blocks: readonly LiveBlock[]): boolean {
  const rows = pointsOf(blocks);
  if (blocks[0]?.kind === "measures") return rows >= MEASURE_ROWS_WANTED;
  return rows >= MERGED_ROWS_WANTED * Math.max(1, endpointsOf(blocks));
}

/** Whether a block with this many rows is large enough to be read fast. `endpoints` is 0 for users, which have none. */
export function isLarge(rows: number, endpoints: number): boolean {
  return rows >= ROWS_WANTED * Math.max(1, endpoints);
}
