/**
 * The store for more than one machine: a ClickHouse server or cluster shared by any number of processes.
 * docs/internals/formats/clickhouse.md describes its tables, the port (`../store.ts`) its guarantees, and
 * docs/scaling.md what is weaker if two processes write the same data concurrently.
 */

import { randomBytes } from "node:crypto";
import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../label-limit.ts";
import type { HousekeepingLog, Store } from "../store.ts";
import { Claims } from "./catalogue/claims.ts";
import { Cluster, ofShard } from "./cluster/cluster.ts";
import { openAudit } from "./catalogue/audit.ts";
import { openThresholds } from "./catalogue/thresholds.ts";
import { AttributeTable } from "./catalogue/attribute-table.ts";
import { Housekeeping } from "./compaction/housekeeping.ts";
import { openKeys } from "./catalogue/keys.ts";
import { openLoadTests } from "./catalogue/load-tests.ts";
import type { ClickHouseParts } from "./parts.ts";
import { openPoints } from "./points.ts";
import { requireSchema } from "./schema/schema.ts";
import { CompactedCopies } from "./compaction/compacted-copies.ts";
import { type CompactionOutcome, Compactor } from "./compaction/compactor.ts";
import type { ClusterSettings } from "./cluster/settings.ts";
import { ShardWriter } from "./write/shard-writer.ts";
import { verifyStore } from "./read/verify.ts";

export interface ClickHouseStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly labelLimit?: LabelLimit | undefined;
  /** Receives reports of background work. @default none */
  readonly housekeeping?: HousekeepingLog | undefined;
}

/** A store with the operations that only this kind has. */
export interface ClickHouseStore extends Store {
  /** Compacts a load test now, whether or not it is worth it. See `compactor.ts`. */
  compactNow(loadTestId: string): Promise<CompactionOutcome>;
}

/** Opens the store. Throws `store-unreachable`, and `store-unusable` without its tables (`tachograph migrate`). */
export async function openClickHouseStore(
  settings: ClusterSettings,
  {
    now: nowMs,
    labelLimit: limit = DEFAULT_LABEL_LIMIT,
    housekeeping: log,
  }: ClickHouseStoreOptions,
): Promise<ClickHouseStore> {
  const cluster = new Cluster(settings);
  try {
    await requireSchema(cluster);
  } catch (error) {
    await cluster.close();
    throw error;
  }
  const parts = openParts(cluster, { limit, nowMs });
  const compactor = new Compactor(parts);
  const housekeeping = log && new Housekeeping(parts, compactor, log);
  let closing: Promise<void> | undefined;
  return {
    loadTests: openLoadTests(parts),
    points: openPoints(parts),
    keys: openKeys(cluster, nowMs),
    thresholds: openThresholds(cluster, nowMs),
    audit: openAudit(cluster),
    // Other processes change it, and only a query would tell.
    version: () => undefined,
    verify: () => verifyStore(parts),
    compactNow: (loadTestId) => compactor.compact(loadTestId),
    close() {
      closing ??= Promise.all([housekeeping?.stop(), parts.writers.settle()]).then(() =>
        cluster.close(),
      );
      return closing;
    },
  };
}

export function openParts(
  cluster: Cluster,
  { limit, nowMs }: Pick<ClickHouseParts, "limit" | "nowMs">,
): ClickHouseParts {
  const claims = new Claims(cluster, nowMs);
  return {
    cluster,
    attributes: new AttributeTable(cluster, nowMs),
    claims,
    writers: shardWriters(cluster, { limit, nowMs, claims }),
    copies: new CompactedCopies(cluster),
    touched: new Set(),
    limit,
    nowMs,
  };
}

function shardWriters(
  cluster: Cluster,
  shared: Pick<ClickHouseParts, "limit" | "nowMs" | "claims">,
): ClickHouseParts["writers"] {
  const writer = randomBytes(8).readBigUInt64BE(0);
  const writers = cluster.shards.map(
    (replicas) => new ShardWriter(replicas, { ...shared, writer }),
  );
  return {
    of: (shardKey) => ofShard(writers, shardKey),
    async settle() {
      await Promise.all(writers.map((each) => each.settle()));
    },
  };
}
