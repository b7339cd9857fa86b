import type { LatencyLog } from "./latency-log.ts";
import type { BucketColumns, Ranks } from "./seal-points.ts";

/** Counting-sorts the log by sealed point, then each point's entries by bucket, and counts runs. */
export function sealLatencies(log: LatencyLog, ranks: Ranks): BucketColumns {
  const entries = sortByRank(log, ranks);
  const bucketsFrom = new Uint32Array(ranks.count + 1);
  const bucket = new Uint16Array(log.length);
  const bucketCount = new Float64Array(log.length);
  let used = 0;
  for (let rank = 0; rank < ranks.count; rank++) {
    bucketsFrom[rank] = used;
    const [from, to] = [entries.from[rank] as number, entries.from[rank + 1] as number];
    sortEntries(entries, from, to);
    for (let at = from; at < to; at++) {
      const own = entries.bucket[at] as number;
      if (at === from || own !== bucket[used - 1]) bucket[used++] = own;
      const weight = entries.weight === undefined ? 1 : (entries.weight[at] as number);
      bucketCount[used - 1] = (bucketCount[used - 1] as number) + weight;
    }
  }
  bucketsFrom[ranks.count] = used;
  return { bucketsFrom, bucket: bucket.slice(0, used), bucketCount: bucketCount.slice(0, used) };
}

interface Entries {
  /** Entries of sealed point r are `from[r]` to `from[r + 1]`. */
  readonly from: Uint32Array;
  readonly bucket: Uint16Array;
  readonly weight: Float64Array | undefined;
}

function sortByRank(log: LatencyLog, { rankOf, count }: Ranks): Entries {
  const from = new Uint32Array(count + 1);
  for (let at = 0; at < log.length; at++) {
    const next = (rankOf[log.point[at] as number] as number) + 1;
    from[next] = (from[next] as number) + 1;
  }
  for (let rank = 0; rank < count; rank++) {
    from[rank + 1] = (from[rank + 1] as number) + (from[rank] as number);
  }
  const next = from.slice();
  const bucket = new Uint16Array(log.length);
  const weight = log.weight === undefined ? undefined : new Float64Array(log.length);
  for (let at = 0; at < log.length; at++) {
    const rank = rankOf[log.point[at] as number] as number;
    const place = next[rank] as number;
    next[rank] = place + 1;
    bucket[place] = log.bucket[at] as number;
    if (weight !== undefined) weight[place] = log.weight?.[at] ?? 1;
  }
  return { from, bucket, weight };
}

/** Insertion beats the built-in sort on the few entries that most points have. */
const INSERTION_MAX = 40;

function sortEntries(entries: Entries, from: number, to: number): void {
  if (entries.weight !== undefined) {
    sortWeighted(entries.bucket.subarray(from, to), entries.weight.subarray(from, to));
  } else if (to - from > INSERTION_MAX) {
    entries.bucket.subarray(from, to).sort();
  } else {
    insertionSort(entries.bucket, from, to);
  }
}

function insertionSort(column: Uint16Array, from: number, to: number): void {
  for (let at = from + 1; at < to; at++) {
    const value = column[at] as number;
    let hole = at;
    while (hole > from && (column[hole - 1] as number) > value) {
      column[hole] = column[hole - 1] as number;
      hole -= 1;
    }
    column[hole] = value;
  }
}

function sortWeighted(bucket: Uint16Array, weight: Float64Array): void {
  const pairs = Array.from(bucket, (own, at) => [own, weight[at] as number] as const);
  const sorted = pairs.toSorted(([left], [right]) => left - right);
  for (const [at, [own, ownWeight]] of sorted.entries()) {
    bucket[at] = own;
    weight[at] = ownWeight;
  }
}
