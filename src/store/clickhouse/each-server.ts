import type { Cluster } from "./cluster.ts";
import type { DdlPlace } from "./ddl.ts";
import type { NativeBlock } from "./native-block.ts";
import { hasCodecs } from "./server-facts.ts";
import type { ClusterSettings } from "./settings.ts";

/** One server on its own, with its part in the cluster. What fails is tried again on this one. */
export interface Server {
  readonly url: string;
  readonly settings: ClusterSettings;
  /** Runs a statement that may run more than once, and needs no database to be there. */
  run(sql: string): Promise<void>;
  read(sql: string): Promise<readonly NativeBlock[]>;
  ddlPlace(): Promise<DdlPlace>;
}

const ZOOKEEPER_PATH = "/tachograph";

export function serversOf({ shards, settings }: Cluster): readonly Server[] {
  return shards.flatMap((shard, index) =>
    shard.alone.map(({ node, replicas }): Server => {
      const replication = {
        zooKeeperPath: settings.zooKeeperPath ?? ZOOKEEPER_PATH,
        shardNumber: index + 1,
        replica: node.replica,
      };
      return {
        url: node.url,
        settings,
        run: (sql) => replicas.command(sql, { place: 0, isOutside: true }),
        read: (sql) => replicas.read(sql, { place: 0 }),
        ddlPlace: async () => ({
          database: settings.database,
          replication: settings.isReplicated ? replication : undefined,
          hasCodecs: hasCodecs(await node.facts()),
        }),
      };
    }),
  );
}

export function numbersIn(blocks: readonly NativeBlock[], name: string): readonly number[] {
  return blocks.flatMap((block) => [...block.numbers(name)]);
}

export function textsIn(blocks: readonly NativeBlock[], name: string): readonly string[] {
  return blocks.flatMap((block) => block.strings(name));
}
