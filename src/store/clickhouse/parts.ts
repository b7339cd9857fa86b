import type { LabelLimit } from "../label-limit.ts";
import type { Claims } from "./catalogue/claims.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { AttributeTable } from "./catalogue/attribute-table.ts";
import type { ShardKey } from "./catalogue/attributes.ts";
import type { CompactedCopies } from "./compaction/compacted-copies.ts";
import type { ShardWriter } from "./write/shard-writer.ts";

export interface ClickHouseParts {
  readonly cluster: Cluster;
  readonly attributes: AttributeTable;
  readonly claims: Claims;
  readonly writers: ShardWriters;
  readonly copies: CompactedCopies;
  readonly limit: LabelLimit;
  /** Load tests that this process has changed; compaction takes them out. */
  readonly touched: Set<string>;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}

interface ShardWriters {
  /** Returns the writer of a load test's shard. Throws `store-unusable` like `shardAt`. */
  of(shardKey: Pick<ShardKey, "shard">): ShardWriter;
  /** Waits for running writes. */
  settle(): Promise<void>;
}
