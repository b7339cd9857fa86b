/**
 * Rows of a batch carry a part of the digest of its contents in their key, so that other contents
 * under the same number never mix with them. Which contents count is the same for all readers.
 */

/** The batch row of some contents. */
export interface StoredContents {
  readonly sequence: number;
  /** From `contentsKey`; 0 in rows of version 1. */
  readonly contents: number;
  /** Whether its writer had won a claim when it stored them: see claims.ts. */
  readonly isClaimed: boolean;
}

const KEY_BITS = 32;

/** What contents are told apart by in the keys of rows. */
export function contentsKey(digest: bigint): number {
  return Number(BigInt.asUintN(KEY_BITS, digest));
}

/**
 * Parts batches into those that count, one for each number, and those that were set aside. Contents
 * that won a claim come before those that were stored without one: the latter were acknowledged only
 * if there was no such claim. Otherwise the smallest key counts.
 */
export function chosenOf<Batch extends StoredContents>(
  batches: readonly Batch[],
): { readonly chosen: readonly Batch[]; readonly setAside: readonly Batch[] } {
  const [chosen, setAside] = [new Map<number, Batch>(), [] as Batch[]];
  for (const batch of batches) {
    const other = chosen.get(batch.sequence);
    const isBetter = other === undefined || comesBefore(batch, other);
    if (isBetter) chosen.set(batch.sequence, batch);
    if (other !== undefined) setAside.push(isBetter ? other : batch);
  }
  return { chosen: [...chosen.values()], setAside };
}

function comesBefore(one: StoredContents, other: StoredContents): boolean {
  if (one.isClaimed !== other.isClaimed) return one.isClaimed;
  return one.contents < other.contents;
}

/**
 * Batches of one source that claim to follow the same one. It happens where a file's follower ends
 * while a batch of it is held up on its way, and its successor, through another process, cuts the
 * file otherwise. One chain counts: the one that leads back from the largest number, which holds
 * every byte up to there exactly once.
 */

/** What a batch row says of its place. */
interface LinkedBatch {
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
export function withoutConflicts<Batch extends LinkedBatch>(batches: readonly Batch[]): Batch[] {
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
