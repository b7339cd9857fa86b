/** Keys of batch rows include part of the contents' digest: contents under one number never mix, and readers agree. */

export interface StoredContents {
  readonly sequence: number;
  /** From `contentsKey`; 0 in rows of version 1. */
  readonly contents: number;
  /** Whether its writer had won a claim when it stored them: see claims.ts. */
  readonly isClaimed: boolean;
}

const KEY_BITS = 32;

/** Part of the digest in the keys of rows. */
export function contentsKey(digest: bigint): number {
  return Number(BigInt.asUintN(KEY_BITS, digest));
}

/**
 * Splits batches into those that count, one per number, and discarded ones. Contents with a won claim come first: others
 * were acknowledged only if there was no such claim. Otherwise the smallest key wins.
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
 * Finds batches of one source that claim to follow the same one. This happens if a file's follower ends while
 * one of its batches is delayed, and its successor, through another process, splits the file differently. The
 * chain that leads back from the largest number counts; it holds every byte up to there exactly once.
 */

/** Position of a batch, from its row. */
interface LinkedBatch {
  readonly sequence: number;
  /** 0: any; 1: first batch; otherwise the previous sequence number plus 2. */
  readonly follows: number;
}

export function followsColumn(follows: number | "nothing" | undefined): number {
  if (follows === undefined) return 0;
  return follows === "nothing" ? 1 : follows + 2;
}

/** Returns those that count, ascending. Batches that may follow any other always count. */
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
