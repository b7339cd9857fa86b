import { NodeHealth } from "./health.ts";
import { Node } from "./node.ts";
import type { Replica } from "./replica-round.ts";
import { Replicas } from "./replicas.ts";
import type { ClusterSettings } from "./settings.ts";
import { REAL_SURROUNDINGS, type Surroundings } from "./surroundings.ts";

/** All servers of a store. What is known of the health of one is known to all that use it. */
export class Cluster {
  readonly settings: ClusterSettings;
  /** In the order of their numbers, which count from 1. */
  readonly shards: readonly Replicas[];
  /** All nodes, for the tables that are the same on each. */
  readonly everywhere: Replicas;

  /** Nothing is asked yet. */
  constructor(settings: ClusterSettings, surroundings: Surroundings = REAL_SURROUNDINGS) {
    const shards = settings.shards.map((urls) =>
      urls.map((url) => openReplica(url, settings, surroundings)),
    );
    this.settings = settings;
    this.shards = shards.map((replicas) => new Replicas(replicas, settings, surroundings));
    this.everywhere = new Replicas(shards.flat(), settings, surroundings);
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    for (const node of this.everywhere.nodes) node.close();
  }
}

function openReplica(url: string, settings: ClusterSettings, surroundings: Surroundings): Replica {
  let health: NodeHealth | undefined;
  const node = new Node(url, settings, () => health?.suspect());
  health = new NodeHealth(node, settings, surroundings);
  return { node, health };
}
