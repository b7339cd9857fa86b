/** What the parts of the store share. */

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
  /** Load tests that this process has changed, until someone who compacts them takes them out. */
  readonly touched: Set<string>;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly nowMs: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly clockMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

interface ShardWriters {
  /** The one who writes to the shard of a load test. Throws `store-unusable` as `shardAt` does. */
  of(shardKey: Pick<ShardKey, "shard">): ShardWriter;
}
