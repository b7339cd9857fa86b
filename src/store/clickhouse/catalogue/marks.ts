/** Marks of published files, in the column `users` of their events, which manifests do not read. */

import type { ShardKey } from "./attributes.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { asBigint, asJson, rowsIn } from "../native/rows-in.ts";
import { ofShardKey } from "../read/visible.ts";

export function marksQuery(database: string, shardKey: ShardKey): string {
  return `
SELECT source, users FROM ${database}.measurements
WHERE ${ofShardKey(shardKey)} AND kind = 'source' AND users != ''`;
}

/** Value of the column `users`. */
export function marksJson(marks: string | undefined): string {
  return marks === undefined ? "" : JSON.stringify({ marks });
}

export function marksIn(blocks: readonly NativeBlock[]): ReadonlyMap<bigint, string> {
  const rows = rowsIn(blocks, {
    source: asBigint("source"),
    users: asJson<{ readonly marks: string }>("users"),
  });
  return new Map(rows.map(({ source, users }) => [source, users.marks]));
}
