/** Puts together what the parts of the store share. */

import { setTimeout } from "node:timers/promises";
import type { LabelLimit } from "../label-limit.ts";
import type { Cluster } from "./cluster.ts";
import { FactTable } from "./fact-table.ts";
import { type ClickHouseParts, ofShard } from "./parts.ts";
import { SealedCopies } from "./sealed-copies.ts";
import { ShardWriter } from "./shard-writer.ts";

export interface OpenedParts extends ClickHouseParts {
  readonly writers: Writers;
}

const WAITING = {
  clockMs: () => performance.now(),
  wait: (ms: number) => setTimeout(ms),
};

export function openParts(
  cluster: Cluster,
  { limit, nowMs }: Pick<ClickHouseParts, "limit" | "nowMs">,
): OpenedParts {
  return {
    cluster,
    facts: new FactTable(cluster, { nowMs, ...WAITING }),
    writers: shardWriters(cluster, { limit, nowMs }),
    copies: new SealedCopies(cluster),
    touched: new Set(),
    limit,
    nowMs,
    ...WAITING,
  };
}

type Writers = ClickHouseParts["writers"] & { settle(): Promise<void> };

function shardWriters(
  cluster: Cluster,
  { limit, nowMs }: { readonly limit: LabelLimit; readonly nowMs: () => number },
): Writers {
  const { database, quorum } = cluster.settings;
  const writers = cluster.shards.map((replicas) => {
    return new ShardWriter(replicas, {
      database,
      limit,
      nowMs,
      hasQuorum: quorum !== undefined,
      ...WAITING,
    });
  });
  return {
    of: (place) => ofShard(writers, place),
    async settle() {
      await Promise.all(writers.map((writer) => writer.settle()));
    },
  };
}
