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
  /** The one who writes to the shard of a load test. */
  of(place: Pick<Place, "shard">): ShardWriter;
}

/** The servers that have a load test. Throws `store-unusable` where its shard is not configured. */
export function shardAt({ shards }: Cluster, { shard }: Pick<Place, "shard">): Replicas {
  const replicas = shards[shard];
  if (replicas !== undefined) return replicas;
  throw new UserError(
    "store-unusable",
    `cannot read a load test on shard ${shard + 1}: got ${shards.length} shards in --clickhouse`,
  );
}
