/**
 * The store for more than one machine: a ClickHouse server or cluster that any number of processes
 * use side by side. What its tables hold is described in docs/formats/clickhouse.md, what it
 * promises in the port (`../store.ts`), and what is weaker where two processes write the same at the
 * same instant in docs/scaling.md.
 */

import { setTimeout } from "node:timers/promises";
import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../label-limit.ts";
import type { Store } from "../store.ts";
import { Cluster } from "./cluster.ts";
import { FactTable } from "./fact-table.ts";
import { openKeys } from "./keys.ts";
import { openLoadTests } from "./load-tests.ts";
import type { ClickHouseParts } from "./parts.ts";
import { openPoints } from "./points.ts";
import { requireSchema } from "./schema.ts";
import { SealedCopies } from "./sealed-copies.ts";
import { Sealer, type SealOutcome } from "./sealer.ts";
import type { ClusterSettings } from "./settings.ts";
import { ShardWriter } from "./shard-writer.ts";

export interface ClickHouseStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly labelLimit?: LabelLimit | undefined;
}

/** A store, and what only this kind of store does. */
export interface ClickHouseStore extends Store {
  /** Merges now what a load test holds, whether or not that is worth it. See `sealer.ts`. */
  sealNow(loadTestId: string): Promise<SealOutcome>;
}

const WAITING = {
  clockMs: () => performance.now(),
  wait: (ms: number) => setTimeout(ms),
};

/**
 * Opens the store on the servers. Throws `store-unreachable`, and `store-unusable` where its tables
 * are not there (`tachograph migrate`).
 */
export async function openClickHouseStore(
  settings: ClusterSettings,
  { now: nowMs, labelLimit: limit = DEFAULT_LABEL_LIMIT }: ClickHouseStoreOptions,
): Promise<ClickHouseStore> {
  const cluster = new Cluster(settings);
  try {
    await requireSchema(cluster);
  } catch (error) {
    await cluster.close();
    throw error;
  }
  const writers = shardWriters(cluster, { limit, nowMs });
  const facts = new FactTable(cluster, nowMs);
  const copies = new SealedCopies(cluster);
  const parts: ClickHouseParts = { cluster, facts, writers, copies, limit, nowMs, ...WAITING };
  const sealer = new Sealer(parts);
  let closing: Promise<void> | undefined;
  return {
    loadTests: openLoadTests(parts),
    points: openPoints(parts),
    keys: openKeys(cluster, nowMs),
    // Other processes change it, and only a question to the servers would tell.
    version: () => undefined,
    async *verify() {},
    sealNow: (loadTestId) => sealer.seal(loadTestId),
    close() {
      closing ??= writers.settle().then(() => cluster.close());
      return closing;
    },
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
    of({ shard }) {
      const writer = writers[shard];
      if (writer === undefined) {
        throw new Error(`BUG: no shard ${shard + 1} of ${writers.length}`);
      }
      return writer;
    },
    async settle() {
      await Promise.all(writers.map((writer) => writer.settle()));
    },
  };
}
