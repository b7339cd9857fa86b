/** Determines which batches of a source count if that requires looking at each of them. */

import { type StoredContents, chosenOf, withoutConflicts } from "./contents-choice.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import { unsigned64Literal } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { Node } from "../cluster/node.ts";
import type { Replicas } from "../cluster/replicas.ts";
import type { BatchGroup } from "../catalogue/sources.ts";
import { ofShardKey } from "../read/visible.ts";

/** Returns the group of the batches that count, if batches of a source conflict. */
export async function countedOf(
  replicas: Replicas,
  node: Node,
  { shardKey, group, database }: { shardKey: ShardKey; group: BatchGroup; database: string },
): Promise<BatchGroup> {
  const blocks = await replicas.readSmall(
    node,
    `SELECT sequence, contents, is_claimed, follows, cityHash64(sequence, digest) AS a_mix, requests, failed_requests, from_second, until_second
FROM ${database}.measurements FINAL
WHERE ${ofShardKey(shardKey)} AND kind = 'batch' AND source = ${unsigned64Literal(group.number)}`,
  );
  const { chosen, setAside } = chosenOf(blocks.flatMap(batchesIn));
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

/** Whether two of them claim to follow the same one. */
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

function batchesIn(block: NativeBlock): CountedBatch[] {
  const mixes = block.bigints("a_mix");
  const column = (name: string) => block.numbers(name);
  const [sequences, follows] = [column("sequence"), column("follows")];
  const [contents, claimed] = [column("contents"), column("is_claimed")];
  const [requests, failed] = [column("requests"), column("failed_requests")];
  const [froms, untils] = [column("from_second"), column("until_second")];
  return Array.from(mixes, (mix, row) => ({
    mix,
    sequence: sequences[row] as number,
    contents: contents[row] as number,
    isClaimed: claimed[row] === 1,
    follows: follows[row] as number,
    requests: requests[row] as number,
    failedRequests: failed[row] as number,
    fromSecond: froms[row] as number,
    untilSecond: untils[row] as number,
  }));
}
