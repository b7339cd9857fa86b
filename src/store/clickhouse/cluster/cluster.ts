import { NodeHealth } from "./health.ts";
import { Node } from "./node.ts";
import type { Replica } from "./replica-round.ts";
import { Replicas } from "./replicas.ts";
import type { ClusterSettings } from "./settings.ts";
import { SYSTEM_CLOCK, type Clock } from "./until-done.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import { UserError } from "../../../model/errors.ts";

/** Returns the servers of a load test. Throws `store-unusable` if its shard is not configured. */
export function shardAt({ shards }: Cluster, shardKey: Pick<ShardKey, "shard">): Replicas {
  return ofShard(shards, shardKey);
}

/** Returns the object of a shard. Throws `store-unusable` if there is none. */
export function ofShard<Each>(each: readonly Each[], { shard }: Pick<ShardKey, "shard">): Each {
  const found = each[shard];
  if (found !== undefined) return found;
  throw new UserError(
    "store-unusable",
    `cannot reach a load test on shard ${shard + 1}: got ${each.length} shards in --clickhouse`,
  );
}

/** All servers of a store. Their health is shared by all users of the object. */
export class Cluster {
  readonly settings: ClusterSettings;
  readonly clock: Clock;
  /** Ordered by number, from 1. */
  readonly shards: readonly Replicas[];
  /** All nodes, for tables that are the same everywhere. */
  readonly everywhere: Replicas;

  /** Makes no request yet. */
  constructor(settings: ClusterSettings, clock: Clock = SYSTEM_CLOCK) {
    const shards = settings.shards.map((urls) =>
      urls.map((url) => openReplica(url, settings, clock)),
    );
    this.settings = settings;
    this.clock = clock;
    this.shards = shards.map((replicas) => new Replicas(replicas, settings, clock));
    this.everywhere = new Replicas(shards.flat(), settings, clock);
  }

  /** Aborts running requests. */
  async close(): Promise<void> {
    for (const node of this.everywhere.nodes) node.close();
  }
}

function openReplica(url: string, settings: ClusterSettings, clock: Clock): Replica {
  let health: NodeHealth | undefined;
  const node = new Node(url, settings, () => health?.suspect());
  health = new NodeHealth(node, settings, clock);
  return { node, health };
}
