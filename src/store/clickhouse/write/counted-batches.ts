/** Determines which batches of a source count if that requires looking at each of them. */

import { type StoredContents, chosenOf, withoutConflicts } from "./contents-choice.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import { unsigned64Literal } from "../cluster/literals.ts";
import { asBigint, asFlag, asNumber, rowsIn } from "../native/rows-in.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { Node } from "../cluster/node.ts";
import type { Replicas } from "../cluster/replicas.ts";
import type { BatchGroup } from "../catalogue/sources.ts";
import { ofShardKey } from "../read/visible.ts";

/** Returns the group of the batches that count, if batches of a source conflict. */
export async function countedOf(
  replicas: Replicas,
  node: Node,
  shardKey: ShardKey,
  group: BatchGroup,
): Promise<BatchGroup> {
  const blocks = await replicas.readSmall(
    node,
    `SELECT sequence, contents, is_claimed, follows, cityHash64(sequence, digest) AS a_mix, requests, failed_requests, from_second, until_second
FROM ${replicas.settings.database}.measurements FINAL
WHERE ${ofShardKey(shardKey)} AND kind = 'batch' AND source = ${unsigned64Literal(group.number)}`,
  );
  const { chosen, setAside } = chosenOf(batchesIn(blocks));
  const hasConflicts = isConflicting(chosen);
  const counted = hasConflicts ? withoutConflicts(chosen) : chosen;
  const sum = (pick: (batch: CountedBatch) => number) =>
    counted.reduce((total, batch) => total + pick(batch), 0);
  const seconds = counted.map(({ fromSecond }) => fromSecond).filter((second) => second > 0);
  return {
    ...group,
    hasConflicts,
    setAside,
    batches: counted.length,
    lastSequence: counted.reduce((last, { sequence }) => Math.max(last, sequence), 0),
    sequences: hasConflicts ? counted.map(({ sequence }) => sequence) : undefined,
    latest: hasConflicts ? undefined : group.latest,
    mix: counted.reduce((mix, batch) => mix ^ batch.mix, 0n),
    requests: sum(({ requests }) => requests),
    failedRequests: sum(({ failedRequests }) => failedRequests),
    fromSecond: seconds.reduce((first, second) => Math.min(first, second), seconds[0] ?? 0),
    untilSecond: counted.reduce((last, { untilSecond }) => Math.max(last, untilSecond), 0),
  };
}

function isConflicting(batches: readonly CountedBatch[]): boolean {
  const linked = batches.map(({ follows }) => follows).filter((follows) => follows > 0);
  return new Set(linked).size !== linked.length;
}

interface CountedBatch extends StoredContents {
  readonly follows: number;
  readonly mix: bigint;
  readonly requests: number;
  readonly failedRequests: number;
  readonly fromSecond: number;
  readonly untilSecond: number;
}

function batchesIn(blocks: readonly NativeBlock[]): CountedBatch[] {
  return rowsIn<CountedBatch>(blocks, {
    sequence: asNumber("sequence"),
    contents: asNumber("contents"),
    isClaimed: asFlag("is_claimed"),
    follows: asNumber("follows"),
    mix: asBigint("a_mix"),
    requests: asNumber("requests"),
    failedRequests: asNumber("failed_requests"),
    fromSecond: asNumber("from_second"),
    untilSecond: asNumber("until_second"),
  });
}
