import { randomBytes } from "node:crypto";
import { Cluster } from "../../../src/store/clickhouse/cluster/cluster.ts";
import { migrate, serversOf } from "../../../src/store/clickhouse/schema/schema.ts";
import type { ClusterSettings } from "../../../src/store/clickhouse/cluster/settings.ts";

/** A new database on the servers of a store. */
export interface FreshDatabase {
  readonly settings: ClusterSettings;
  /** Removes it from every server. */
  drop(): Promise<void>;
}

/** Creates one with the tables of a store, as `tachograph migrate` does. */
export async function makeDatabase(servers: ClusterSettings): Promise<FreshDatabase> {
  const settings = { ...servers, database: `t_${randomBytes(6).toString("hex")}` };
  const cluster = new Cluster(settings);
  await migrate(cluster);
  return {
    settings,
    async drop() {
      const drop = `DROP DATABASE IF EXISTS ${settings.database}`;
      await Promise.all(serversOf(cluster).map((server) => server.run(drop)));
      await cluster.close();
    },
  };
}
