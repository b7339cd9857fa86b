/**
 * The store for more than one machine: a ClickHouse server or cluster that any number of processes
 * use side by side. What its tables hold is described in docs/formats/clickhouse.md, what it
 * promises in the port (`../store.ts`), and what is weaker where two processes write the same at the
 * same instant in docs/scaling.md.
 */

import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../label-limit.ts";
import type { Store } from "../store.ts";
import { Cluster } from "./cluster.ts";
import { Housekeeping, type HousekeepingLog } from "./housekeeping.ts";
import { openKeys } from "./keys.ts";
import { openLoadTests } from "./load-tests.ts";
import { openParts } from "./open-parts.ts";
import { openPoints } from "./points.ts";
import { requireSchema } from "./schema.ts";
import { Sealer, type SealOutcome } from "./sealer.ts";
import type { ClusterSettings } from "./settings.ts";
import { verifyStore } from "./verify.ts";

export interface ClickHouseStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly labelLimit?: LabelLimit | undefined;
  /** Who is told of housekeeping. @default there is none */
  readonly housekeeping?: HousekeepingLog | undefined;
}

/** A store, and what only this kind of store does. */
export interface ClickHouseStore extends Store {
  /** Merges now what a load test holds, whether or not that is worth it. See `sealer.ts`. */
  sealNow(loadTestId: string): Promise<SealOutcome>;
}

/**
 * Opens the store on the servers. Throws `store-unreachable`, and `store-unusable` where its tables
 * are not there (`tachograph migrate`).
 */
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
  const sealer = new Sealer(parts);
  const housekeeping = log && new Housekeeping(parts, sealer, log);
  const keys = openKeys(cluster, parts);
  let closing: Promise<void> | undefined;
  return {
    loadTests: openLoadTests(parts),
    points: openPoints(parts),
    keys,
    // Other processes change it, and only a question to the servers would tell.
    version: () => undefined,
    verify: () => verifyStore(parts, keys),
    sealNow: (loadTestId) => sealer.seal(loadTestId),
    close() {
      closing ??= Promise.all([housekeeping?.stop(), parts.writers.settle()]).then(() =>
        cluster.close(),
      );
      return closing;
    },
  };
}
