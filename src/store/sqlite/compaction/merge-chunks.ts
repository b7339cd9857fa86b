/** Merging for the compactor: in chunks that one write takes, in this thread or (`background.ts`) another. */

import { type BlockRow, bytesIn, type EncodedBlock, type Segments } from "../blocks/block-rows.ts";
import { mergeBlocks } from "./merge-blocks.ts";
import type { CompactionPlan } from "./compaction-plan.ts";

/** Work goes on for so long before others get as much time. */
const TURN_MS = 4;
/** Blocks are written when they are so many bytes. */
const WRITE_BYTES = 512 * 1024;

/** Merges what a plan names; blocks come in chunks that one write takes. Throws as `mergeBlocks`. */
export type MergePlan = (plan: CompactionPlan) => AsyncIterable<readonly EncodedBlock[]>;

type SegmentsOf = (row: BlockRow) => Segments;

/** The chunks of a merge, and `undefined` wherever other work may have a turn. */
export function* mergeChunks(
  plan: CompactionPlan,
  segmentsOf: SegmentsOf,
): Generator<readonly EncodedBlock[] | undefined> {
  let made: EncodedBlock[] = [];
  let bytes = 0;
  for (const block of mergeBlocks({ ...plan, segmentsOf })) {
    if (block !== undefined) {
      made.push(block);
      bytes += bytesIn(block.segments);
    }
    if (bytes < WRITE_BYTES) {
      yield undefined;
    } else {
      yield made;
      [made, bytes] = [[], 0];
    }
  }
  if (made.length > 0) yield made;
}

interface TurnsRequest {
  readonly segmentsOf: SegmentsOf;
  /** Lets others work, for about as long as the work took. */
  readonly rest: (tookMs: number) => Promise<unknown>;
  /** Whether to go on. */
  readonly isWanted: () => boolean;
}

/** Merges in this thread, in turns of some milliseconds. */
export function mergingInTurns({ segmentsOf, rest, isWanted }: TurnsRequest): MergePlan {
  return async function* mergeInTurns(plan) {
    let turnBeganAtMs = performance.now();
    for (const chunk of mergeChunks(plan, segmentsOf)) {
      if (!isWanted()) return;
      if (chunk !== undefined) yield chunk;
      const tookMs = performance.now() - turnBeganAtMs;
      if (tookMs < TURN_MS) continue;
      // As long again: compaction takes half of the time at most, and batches that come wait little.
      await rest(tookMs);
      turnBeganAtMs = performance.now();
    }
  };
}

export function bytesOf(blocks: readonly EncodedBlock[]): number {
  return blocks.reduce((sum, { segments }) => sum + bytesIn(segments), 0);
}
