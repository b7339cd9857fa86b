/** What the parts of the store share. */

import { UserError } from "../../model/errors.ts";
import type { LabelLimit } from "../label-limit.ts";
import type { Cluster } from "./cluster.ts";
import type { FactTable } from "./fact-table.ts";
import type { Place } from "./facts.ts";
import type { Replicas } from "./replicas.ts";
import type { SealedCopies } from "./sealed-copies.ts";
import type { ShardWriter } from "./shard-writer.ts";

export interface ClickHouseParts {
  readonly cluster: Cluster;
  readonly facts: FactTable;
  readonly writers: ShardWriters;
  readonly copies: SealedCopies;
  readonly limit: LabelLimit;
  /** Load tests that this process has changed, until someone who seals them takes them out. */
  readonly touched: Set<string>;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly nowMs: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly clockMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

interface ShardWriters {
  /** The one who writes to the shard of a load test. Throws `store-unusable` as `shardAt` does. */
  of(place: Pick<Place, "shard">): ShardWriter;
}

/** The servers that have a load test. Throws `store-unusable` where its shard is not configured. */
export function shardAt({ shards }: Cluster, place: Pick<Place, "shard">): Replicas {
  return ofShard(shards, place);
}

/** What there is one of for each shard. Throws `store-unusable` where there is none for this one. */
export function ofShard<Each>(each: readonly Each[], { shard }: Pick<Place, "shard">): Each {
  const found = each[shard];
  if (found !== undefined) return found;
  throw new UserError(
    "store-unusable",
    `cannot reach a load test on shard ${shard + 1}: got ${each.length} shards in --clickhouse`,
  );
}
