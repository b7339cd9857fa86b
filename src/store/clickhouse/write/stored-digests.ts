import { isOneOf, type RowIdentity } from "./confirm.ts";
import { chosenOf, type StoredContents } from "./contents-choice.ts";
import { anyShardKey } from "../read/source-manifest.ts";
import { asBigint, asFlag, asNumber, rowsIn, asText } from "../native/rows-in.ts";
import type { NativeBlock } from "../native/native-block.ts";

/** Returns the contents that count, of all stored under a number. */
export interface StoredDigest extends StoredContents {
  readonly digest: bigint;
}

export function batchKey(loadTestId: string, source: bigint, sequence: number): string {
  return `${loadTestId} ${source} ${sequence}`;
}

export function digestsQuery(database: string, batches: readonly RowIdentity[]): string {
  return `SELECT load_test_id, source, sequence, digest, contents, is_claimed FROM ${database}.measurements FINAL
WHERE kind = 'batch' AND ${anyShardKey(batches.map(({ shardKey }) => shardKey))} AND ${isOneOf(batches)}`;
}

/** Merges the rows of one or more replicas, by `batchKey`. */
export function digestsIn(blocks: readonly NativeBlock[]): ReadonlyMap<string, StoredDigest> {
  const stored = rowsIn(blocks, {
    loadTestId: asText("load_test_id"),
    source: asBigint("source"),
    sequence: asNumber("sequence"),
    digest: asBigint("digest"),
    contents: asNumber("contents"),
    isClaimed: asFlag("is_claimed"),
  });
  const byKey = Map.groupBy(stored, (row) => batchKey(row.loadTestId, row.source, row.sequence));
  const chosen = [...byKey].flatMap(([key, rivals]): [string, StoredDigest][] => {
    const [first] = chosenOf(rivals).chosen;
    return first === undefined ? [] : [[key, first]];
  });
  return new Map(chosen);
}
