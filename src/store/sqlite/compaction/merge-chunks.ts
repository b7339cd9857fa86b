/** Merging for the compactor, in chunks of one write each, in this thread or in another (`background.ts`). */

import { bytesIn, type EncodedBlock } from "../blocks/block-rows.ts";
import { mergeBlocks, type MergeJob } from "./merge-blocks.ts";
import type { CompactionPlan } from "./compaction-plan.ts";

/** Rows merged in a few milliseconds. */
const STEP_ROWS = 4096;
/** Time slice, after which other work gets as much time. */
const TURN_MS = 4;
/** Bytes of blocks that make a chunk. */
const WRITE_BYTES = 512 * 1024;

/** Merges the blocks of a plan in chunks of one write each. Throws what `mergeBlocks` throws. */
export type MergePlan = (plan: CompactionPlan) => AsyncIterable<readonly EncodedBlock[]>;

/** Yields the chunks of a merge, and `undefined` wherever other work may run. */
export function* mergeChunks(job: MergeJob): Generator<readonly EncodedBlock[] | undefined> {
  let made: EncodedBlock[] = [];
  let bytes = 0;
  for (const block of mergeBlocks(job)) {
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

interface TurnsRequest extends Pick<MergeJob, "segmentsOf"> {
  /** Yields to other work for about as long as the work took. */
  readonly rest: (tookMs: number) => Promise<unknown>;
  readonly isWanted: () => boolean;
}

/** Merges in this thread, in slices of some milliseconds. */
export function mergingInTurns({ segmentsOf, rest, isWanted }: TurnsRequest): MergePlan {
  return async function* mergeInTurns(plan) {
    let turnBeganAtMs = performance.now();
    for (const chunk of mergeChunks({ ...plan, segmentsOf, stepRows: STEP_ROWS })) {
      if (!isWanted()) return;
      if (chunk !== undefined) yield chunk;
      const tookMs = performance.now() - turnBeganAtMs;
      if (tookMs < TURN_MS) continue;
      // Equal pauses: compaction takes at most half of the time, and new batches wait little.
      await rest(tookMs);
      turnBeganAtMs = performance.now();
    }
  };
}

export function bytesOf(blocks: readonly EncodedBlock[]): number {
  return blocks.reduce((sum, { segments }) => sum + bytesIn(segments), 0);
}
