/** Marks of published files, in the column `users` of their events, which manifests do not read. */

import type { ShardKey } from "./attributes.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { ofShardKey } from "../read/visible.ts";

/** Query for the marks of all files of a load test. */
export function marksQuery(database: string, shardKey: ShardKey): string {
  return `
SELECT source, users FROM ${database}.measurements
WHERE ${ofShardKey(shardKey)} AND kind = 'source' AND users != ''`;
}

/** Value of the column `users`. */
export function marksJson(marks: string | undefined): string {
  return marks === undefined ? "" : JSON.stringify({ marks });
}

/** Returns the marks by source number. */
export function marksIn(blocks: readonly NativeBlock[]): ReadonlyMap<bigint, string> {
  return new Map(
    blocks.flatMap((block) => {
      const numbers = block.bigints("source");
      return block.strings("users").map((text, row) => {
        const { marks } = JSON.parse(text) as { readonly marks: string };
        return [numbers[row] as bigint, marks] as const;
      });
    }),
  );
}
