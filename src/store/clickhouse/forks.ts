/**
 * Batches of one source that claim to follow the same one. It happens where a file's follower ends
 * while a batch of it is held up on its way, and its successor, through another process, cuts the
 * file otherwise. One chain counts: the one that leads back from the largest number, which holds
 * every byte up to there exactly once.
 */

/** What a batch row says of its place. */
export interface LinkedBatch {
  readonly sequence: number;
  /** 0: any; 1: nothing; otherwise the sequence before it, plus 2. */
  readonly follows: number;
}

/** As the column `follows` has it. */
export function followsColumn(follows: number | "nothing" | undefined): number {
  if (follows === undefined) return 0;
  return follows === "nothing" ? 1 : follows + 2;
}

/** Those that count, ascending. Batches that may follow any other always do. */
export function withoutForks<Batch extends LinkedBatch>(batches: readonly Batch[]): Batch[] {
  const sorted = batches.toSorted((left, right) => left.sequence - right.sequence);
  const counted: Batch[] = [];
  let wanted: number | undefined;
  for (const batch of sorted.toReversed()) {
    const isLinked = batch.follows !== 0;
    if (isLinked && wanted !== undefined && batch.sequence !== wanted) continue;
    counted.push(batch);
    if (isLinked) wanted = batch.follows - 2;
    else if (batch.sequence === wanted) wanted = undefined;
  }
  return counted.toReversed();
}
