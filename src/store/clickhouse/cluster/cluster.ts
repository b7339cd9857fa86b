import { NodeHealth } from "./health.ts";
import { Node } from "./node.ts";
import type { Replica } from "./replica-round.ts";
import { Replicas } from "./replicas.ts";
import type { ClusterSettings } from "./settings.ts";
import { SYSTEM_CLOCK, type Dependencies } from "./until-done.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import { UserError } from "../../../model/errors.ts";

/** The servers that have a load test. Throws `store-unusable` where its shard is not configured. */
export function shardAt({ shards }: Cluster, shardKey: Pick<ShardKey, "shard">): Replicas {
  return ofShard(shards, shardKey);
}

/** What there is one of for each shard. Throws `store-unusable` where there is none for this one. */
export function ofShard<Each>(each: readonly Each[], { shard }: Pick<ShardKey, "shard">): Each {
  const found = each[shard];
  if (found !== undefined) return found;
  throw new UserError(
    "store-unusable",
    `cannot reach a load test on shard ${shard + 1}: got ${each.length} shards in --clickhouse`,
  );
}

/** All servers of a store. What is known of the health of one is known to all that use it. */
export class Cluster {
  readonly settings: ClusterSettings;
  /** In the order of their numbers, which count from 1. */
  readonly shards: readonly Replicas[];
  /** All nodes, for the tables that are the same on each. */
  readonly everywhere: Replicas;

  /** Nothing is asked yet. */
  constructor(settings: ClusterSettings, dependencies: Dependencies = SYSTEM_CLOCK) {
    const shards = settings.shards.map((urls) =>
      urls.map((url) => openReplica(url, settings, dependencies)),
    );
    this.settings = settings;
    this.shards = shards.map((replicas) => new Replicas(replicas, settings, dependencies));
    this.everywhere = new Replicas(shards.flat(), settings, dependencies);
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    for (const node of this.everywhere.nodes) node.close();
  }
}

function openReplica(url: string, settings: ClusterSettings, dependencies: Dependencies): Replica {
  let health: NodeHealth | undefined;
  const node = new Node(url, settings, () => health?.suspect());
  health = new NodeHealth(node, settings, dependencies);
  return { node, health };
}
