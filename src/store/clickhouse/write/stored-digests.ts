import { isOneOf, type RowIdentity } from "./confirm.ts";
import { chosenOf, type StoredContents } from "./contents-choice.ts";
import { anyShardKey } from "../read/source-manifest.ts";
import type { NativeBlock } from "../native/native-block.ts";

/** Returns the contents that count, of all stored under a number. */
export interface StoredDigest extends StoredContents {
  readonly digest: bigint;
}

export function batchKey(loadTestId: string, source: bigint, sequence: number): string {
  return `${loadTestId} ${source} ${sequence}`;
}

/** Query for them, for `digestsIn`. At least one batch. */
export function digestsQuery(database: string, batches: readonly RowIdentity[]): string {
  return `SELECT load_test_id, source, sequence, digest, contents, is_claimed FROM ${database}.measurements FINAL
WHERE kind = 'batch' AND ${anyShardKey(batches.map(({ shardKey }) => shardKey))} AND ${isOneOf(batches)}`;
}

/** Merges the rows of one or more replicas, by `batchKey`. */
export function digestsIn(blocks: readonly NativeBlock[]): ReadonlyMap<string, StoredDigest> {
  const stored = blocks.flatMap((block) => {
    const [sources, digests] = [block.bigints("source"), block.bigints("digest")];
    const [ids, sequences] = [block.strings("load_test_id"), block.numbers("sequence")];
    const [contents, claimed] = [block.numbers("contents"), block.numbers("is_claimed")];
    return Array.from(sources, (source, row) => {
      const sequence = sequences[row] as number;
      return {
        key: batchKey(ids[row] as string, source, sequence),
        sequence,
        digest: digests[row] as bigint,
        contents: contents[row] as number,
        isClaimed: claimed[row] === 1,
      };
    });
  });
  const byKey = Map.groupBy(stored, ({ key }) => key);
  const chosen = [...byKey].flatMap(([key, rivals]): [string, StoredDigest][] => {
    const [first] = chosenOf(rivals).chosen;
    return first === undefined ? [] : [[key, first]];
  });
  return new Map(chosen);
}
