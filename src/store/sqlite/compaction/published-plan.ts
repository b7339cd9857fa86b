/**
 * Chooses which blocks of a published source to merge. An import batch writes a block per group of endpoints; with
 * many endpoints or unordered rows, these are many and small or overlap in time, which slows down every read.
 */

import { chunksOf } from "../../../model/columns.ts";
import type { LiveBlock, BlockRow } from "../blocks/block-rows.ts";
import { sizeOfSet } from "../../block/endpoint-set.ts";
import { type CompactionPlan, endpointsOf, isLarge, pointsOf } from "./compaction-plan.ts";
import type { Downsampling } from "../../downsample.ts";

/** Average number of blocks per endpoint that needs no merge: of very many endpoints it would take longer than the import. */
const MIXED_BLOCKS_MAX = 5;
/** Below this many points per endpoint, a grouped block costs more than its content. */
const SPARSE_POINTS = 16;
/** So many blocks of a group are read sooner than they are merged, however small. */
const FEW_BLOCKS = 4;
/** Blocks may overlap this many times the seconds they cover, since files are rarely in order. */
const OVERLAP_MAX = 1.25;
/** Blocks replaced in one write: some milliseconds. */
const BLOCKS_AT_ONCE = 256;

/** Plans all merges of a source; blocks in no merge stay as they are. */
export function planPublished(blocks: readonly LiveBlock[]): readonly CompactionPlan[] {
  const byKind = Map.groupBy(blocks, ({ kind }) => kind);
  return [...byKind].flatMap(([kind, ofKind]) => {
    const groups = Map.groupBy(ofKind, ({ endpoint_group }) => endpoint_group);
    const merged = [...groups.values()].filter(isWorthMerging).flatMap(cutMixed);
    return cutGroups(merged).map((own): CompactionPlan => ({
      kind,
      blocks: own,
      level: undefined,
      arrangement: isSparse(own) ? "mixed" : "grouped",
    }));
  });
}

/** Whether they are mixed and grouping their endpoints would not help. */
function isSparse(blocks: readonly LiveBlock[]): boolean {
  return areMixed(blocks) && pointsOf(blocks) < SPARSE_POINTS * endpointsOf(blocks);
}

/** Whether any group may have points in them. */
function areMixed(blocks: readonly LiveBlock[]): boolean {
  return blocks[0]?.kind === "points" && blocks[0].endpoint_group === null;
}

/** Mixed blocks in the order of the source, some batches at a time. */
function cutMixed(blocks: readonly LiveBlock[]): readonly (readonly LiveBlock[])[] {
  if (!areMixed(blocks)) return [blocks];
  return [...chunksOf(blocks, BLOCKS_AT_ONCE)];
}

/** Blocks of neighbouring groups, as many as one write replaces. */
function cutGroups<Block>(groups: readonly (readonly Block[])[]): readonly (readonly Block[])[] {
  const cut: Block[][] = [];
  for (const group of groups) {
    const last = cut.at(-1);
    if (last === undefined || last.length + group.length > BLOCKS_AT_ONCE) cut.push([...group]);
    else last.push(...group);
  }
  return cut;
}

/** Whether blocks of the same endpoints are small or overlap in time. */
function isWorthMerging(blocks: readonly LiveBlock[]): boolean {
  if (blocks.length < 2) return false;
  const endpoints = endpointsOf(blocks);
  if (areMixed(blocks)) {
    const places = blocks.reduce((sum, block) => sum + sizeOfSet(block.endpoints), 0);
    return places > MIXED_BLOCKS_MAX * endpoints;
  }
  // Failures are few; a block holds any number of endpoints.
  const rows = pointsOf(blocks) / blocks.length;
  const arePoints = blocks[0]?.kind === "points";
  const areFew = arePoints && blocks.length <= FEW_BLOCKS;
  const isSmall = !areFew && !isLarge(rows, arePoints ? endpoints : 1);
  const covered = blocks.reduce((sum, block) => sum + areaOf([block]), 0);
  return isSmall || covered > OVERLAP_MAX * areaOf(blocks);
}

/** Seconds between the first and the last; of points and measures, which are cut by series, times their endpoints. */
function areaOf(blocks: readonly LiveBlock[]): number {
  const isCut = blocks[0]?.kind === "points" || blocks[0]?.kind === "measures";
  const places = isCut ? Math.max(1, endpointsOf(blocks)) : 1;
  const first = blocks.reduce((least, block) => Math.min(least, block.first_second), Infinity);
  const last = blocks.reduce((most, block) => Math.max(most, block.last_second), 0);
  return places * (last - first + 1);
}

/** Failures and users stay in seconds: they are few. */
export function planDownsampling(
  blocks: readonly BlockRow[],
  downsampling: Downsampling,
): readonly CompactionPlan[] {
  const merged = blocks.filter(({ kind }) => kind === "points" || kind === "measures");
  const bySourceAndKind = Map.groupBy(merged, ({ source, kind }) => `${source} ${kind}`);
  return [...bySourceAndKind.values()].flatMap((own) => {
    const groups = Map.groupBy(own, ({ endpoint_group }) => endpoint_group);
    return cutGroups([...groups.values()]).map((together): CompactionPlan => ({
      kind: together[0]?.kind ?? "points",
      blocks: together,
      level: undefined,
      arrangement: "grouped",
      downsampling,
    }));
  });
}
