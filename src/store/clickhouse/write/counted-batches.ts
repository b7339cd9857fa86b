/** Determines which batches of a source count if that requires looking at each of them. */

import { chosenOf, withoutConflicts } from "./contents-choice.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import { unsigned64Literal } from "../cluster/literals.ts";
import { asBigint, asFlag, asNumber, rowsIn } from "../native/rows-in.ts";
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
  const batches = rowsIn(blocks, {
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
  const { chosen, setAside } = chosenOf(batches);
  const linked = chosen.map(({ follows }) => follows).filter((follows) => follows > 0);
  const hasConflicts = new Set(linked).size !== linked.length;
  const counted = hasConflicts ? withoutConflicts(chosen) : chosen;
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
    requests: counted.reduce((sum, { requests }) => sum + requests, 0),
    failedRequests: counted.reduce((sum, { failedRequests }) => sum + failedRequests, 0),
    fromSecond: seconds.reduce((first, second) => Math.min(first, second), seconds[0] ?? 0),
    untilSecond: counted.reduce((last, { untilSecond }) => Math.max(last, untilSecond), 0),
  };
}
